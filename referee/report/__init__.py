"""One HTML file that shows a whole tournament, made from its records.

`gather` folds the records, `data` adds the tables, `page` writes what a browser opens. The
scripts and the style are files beside this one, put into the page when it is written.
"""
