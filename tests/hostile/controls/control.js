// An honest bot that uses a worker thread, a helper process and a scratch file.
const { execFileSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { Worker } = require("worker_threads");
const lines = require("readline").createInterface({ input: process.stdin });

const SOURCE = `const { parentPort, workerData } = require("worker_threads");
parentPort.postMessage(workerData.split(";")[0]);`;

lines.on("line", (line) => {
  const verb = line.split(" ")[0];
  if (verb === "game") process.stdout.write("ready\n");
  if (verb === "turn") {
    const worker = new Worker(SOURCE, { eval: true, workerData: line.split(" legal=")[1] });
    worker.on("message", (move) => {
      const file = path.join(os.tmpdir(), "control");
      fs.writeFileSync(file, move);
      process.stdout.write(`move ${execFileSync("cat", [file])}\n`);
    });
  }
  if (verb === "quit") process.exit(0);
});
