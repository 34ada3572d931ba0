import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An honest bot that uses threads, a helper process, a scratch file, and collects garbage. */
class Control {
    public static void main(String[] words) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null; ) {
            if (line.startsWith("game ")) {
                System.out.println("ready");
            } else if (line.startsWith("turn ")) {
                String legal = line.substring(line.indexOf(" legal=") + 7);
                String move = threads.submit(() -> choose(legal)).get();
                Path file = Files.createTempFile(Path.of(System.getenv("TMPDIR")), "control", "");
                Files.writeString(file, move + "\n");
                Process helper = new ProcessBuilder("cat", file.toString()).start();
                System.out.println("move " + helper.inputReader().readLine());
                Files.delete(file);
            } else if (line.equals("quit")) {
                break;
            }
        }
        threads.shutdown();
    }

    private static String choose(String legal) {
        for (int round = 0; round < 20; round++) {
            List<byte[]> garbage = new ArrayList<>();
            for (int piece = 0; piece < 64; piece++) garbage.add(new byte[65536]);
        }
        return legal.split(";")[0];
    }
}
