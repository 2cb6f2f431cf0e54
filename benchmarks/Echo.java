import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The official TypeScript server with a tool that returns its argument, in its newest 2.x version on npm. */
final class Echo {
    private Echo() {}

    /** Returns null and prints the reason if there is no Node.js or no package registry. */
    static Peer start() throws InterruptedException {
        try {
            var directory = Files.createTempDirectory("bench-echo");
            Files.copy(Path.of("benchmarks", "echo.mjs"), directory.resolve("echo.mjs"), StandardCopyOption.REPLACE_EXISTING);
            var install = new ProcessBuilder(
                            "npm", "install", "--no-audit", "--no-fund", "--silent",
                            "@modelcontextprotocol/server@^2", "@modelcontextprotocol/node@^2", "zod@^4")
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("npm.log").toFile())
                    .start();
            if (install.waitFor() != 0) {
                throw new IOException(Files.readString(directory.resolve("npm.log")));
            }
            var version = Files.readString(directory.resolve("node_modules/@modelcontextprotocol/server/package.json"))
                    .replaceAll("(?s).*?\"version\": *\"([^\"]+)\".*", "$1");
            System.err.println("the TypeScript server is @modelcontextprotocol/server " + version);
            return Peer.start(directory, "node", "echo.mjs");
        } catch (IOException e) {
            System.err.println("without the TypeScript server: " + e.getMessage());
            return null;
        }
    }
}
