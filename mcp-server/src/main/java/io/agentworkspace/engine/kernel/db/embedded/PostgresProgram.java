package io.agentworkspace.engine.kernel.db.embedded;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * Runs PostgreSQL's programs. Of the engine's environment they have only PATH, so that none inherits secrets or a stray PGDATA.
 */
final class PostgresProgram {
    private PostgresProgram() {}

    /** How a short program ended, and all of its output. */
    record ProgramResult(boolean succeeded, String output) {}

    static ProcessBuilder prepare(List<String> command) {
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectInput(new File("/dev/null"));
        builder.environment().keySet().retainAll(Set.of("PATH"));
        builder.environment().put(Platform.LOCALE_VARIABLE, "C");
        return builder;
    }

    /** Runs a program to its end. A program that does not exist counts as failed. */
    static ProgramResult run(List<String> command) {
        try {
            Process process = prepare(command).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new ProgramResult(process.waitFor() == 0, output.strip());
        } catch (IOException e) {
            return new ProgramResult(false, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresFailure("interrupted while running " + command.getFirst(), e);
        }
    }

    /** Sends a signal that Java's API does not support. */
    static void signal(String name, long pid) {
        run(List.of("sh", "-c", "kill -" + name + " " + pid));
    }
}
