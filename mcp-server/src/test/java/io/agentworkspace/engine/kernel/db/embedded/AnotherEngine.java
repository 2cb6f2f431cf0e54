package io.agentworkspace.engine.kernel.db.embedded;

import io.agentworkspace.engine.testing.HangLimit;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A separate process that holds a data directory until it is killed. It prints the number of
 * acknowledged rows, or why it cannot start.
 */
final class AnotherEngine {
    private AnotherEngine() {}

    public static void main(String[] args) throws Exception {
        try {
            EmbeddedPostgres server = EmbeddedPostgres.start(Path.of(args[0]));
            Accounts accounts = new Accounts(server).create();
            accounts.add();
            System.out.println(accounts.count());
            HangLimit.pause();
        } catch (PostgresFailure e) {
            System.out.println(e.getMessage());
        }
    }

    static Process on(Path dataDir) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AnotherEngine.class.getName(),
                        dataDir.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
