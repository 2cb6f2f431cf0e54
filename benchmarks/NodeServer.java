import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server of a published package that the tests have installed, on a free port of loopback. */
record NodeServer(Process process, String url) implements AutoCloseable {
    private static final Path HOME = Path.of("mcp-server", "src", "test", "node").toAbsolutePath();
    private static final String NODE = module(".bin/node");

    /** Returns whether the packages are installed. */
    static boolean areInstalled() {
        return Files.exists(Path.of(NODE));
    }

    static String module(String name) {
        return HOME.resolve("node_modules").resolve(name).toString();
    }

    /** Starts a script that listens on the port 3000, as it believes. */
    static NodeServer start(List<String> script) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("bench-node");
        var address = folder.resolve("address");
        var command = new ArrayList<>(List.of(NODE));
        command.addAll(script);
        var output = folder.resolve("output");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("NODE_OPTIONS", "--import " + HOME.resolve("loopback.mjs"));
        builder.environment().put("ADDRESS", address.toString());
        builder.environment().put("PORT", "3000");
        var process = builder.start();
        while (!Files.exists(address)) {
            if (!process.isAlive()) {
                throw new IOException(Files.readString(output));
            }
            Thread.sleep(20);
        }
        return new NodeServer(process, "http://%s/mcp".formatted(Files.readString(address)));
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
