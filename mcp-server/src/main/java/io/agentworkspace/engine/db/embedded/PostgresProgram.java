package io.agentworkspace.engine.db.embedded;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** Programs that the engine calls: with PATH for their whole environment, so that none inherits its secrets or a stray PGDATA. */
final class PostgresProgram {
    private PostgresProgram() {}

    /** How a short program ended, and all that it said. */
    record Outcome(boolean succeeded, String output) {}

    static ProcessBuilder prepare(List<String> command) {
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectInput(new File("/dev/null"));
        builder.environment().keySet().retainAll(Set.of("PATH"));
        return builder;
    }

    /** Runs it to its end; one that does not exist has failed. */
    static Outcome run(List<String> command) {
        try {
            Process process = prepare(command).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Outcome(process.waitFor() == 0, output.strip());
        } catch (IOException e) {
            return new Outcome(false, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresFailure("interrupted while running " + command.getFirst(), e);
        }
    }

    /** Sends a signal that Java has no word for. */
    static void signal(String name, long pid) {
        run(List.of("sh", "-c", "kill -" + name + " " + pid));
    }
}
