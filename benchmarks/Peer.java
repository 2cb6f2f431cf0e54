import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Another server in a separate process, which prints {@code ready <address>}. */
final class Peer implements AutoCloseable {
    private final Process process;
    private final String url;

    private Peer(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    static Peer start(Path directory, String... command) throws IOException {
        var log = Files.createTempFile("bench", ".log");
        var process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(log.toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy)); // Also after Ctrl-C.
        var line = process.inputReader().readLine();
        while (line != null && !line.startsWith("ready ")) {
            line = process.inputReader().readLine();
        }
        if (line == null) {
            throw new IOException("it did not start: " + Files.readString(log));
        }
        return new Peer(process, line.substring("ready ".length()));
    }

    String url() {
        return url;
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
