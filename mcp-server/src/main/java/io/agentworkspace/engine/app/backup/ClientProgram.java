package io.agentworkspace.engine.app.backup;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One of PostgreSQL's client programs: the newest that this machine has. */
record ClientProgram(Path file, int major) {
    /** Where packages install programs of several versions. */
    private static final List<String> FOLDERS = List.of("/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt");

    private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+)");
    private static final String LOCALE = "LC_ALL";
    private static final int OUTPUT = 2_000;

    /** @param path the value of PATH */
    static ClientProgram find(String name, String path) {
        return Stream.concat(
                        Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                                .splitAsStream(path)
                                .map(Path::of),
                        installed())
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .distinct()
                .flatMap(file -> version(file).map(major -> new ClientProgram(file, major)).stream())
                .max(Comparator.comparing(ClientProgram::major))
                .orElseThrow(() -> new BackupFailure(
                        "%s is not installed: install PostgreSQL's client programs (Debian: postgresql-client)", name));
    }

    private static Stream<Path> installed() {
        return FOLDERS.stream().map(Path::of).filter(Files::isDirectory).flatMap(folder -> {
            try (var versions = Files.list(folder)) {
                return versions.map(version -> version.resolve("bin")).toList().stream();
            } catch (IOException e) {
                return Stream.of();
            }
        });
    }

    private static Optional<Integer> version(Path file) {
        var found = VERSION.matcher(
                new ClientProgram(file, 0).output(Map.of(), "--version").text());
        return found.find() ? Optional.of(Integer.valueOf(found.group(1))) : Optional.empty();
    }

    /** @param server the version of a server, such as 18.6 */
    void checkReads(String server) {
        var needed = Integer.parseInt(server.substring(0, Math.max(0, server.indexOf('.'))));
        if (major < needed) {
            throw new BackupFailure(
                    "the database is PostgreSQL %d, and the newest %s here is of %d: install the client programs of %d (Debian: postgresql-client-%d)",
                    needed, file.getFileName(), major, needed, needed);
        }
    }

    private record Output(int code, String text) {}

    /** Runs it to its end. Its environment has these variables and PATH. */
    void run(Map<String, String> environment, String... arguments) {
        var output = output(environment, arguments);
        if (output.code() != 0) {
            var text = output.text().strip();
            throw new BackupFailure(
                    "%s failed: %s", file.getFileName(), text.substring(Math.max(0, text.length() - OUTPUT)));
        }
    }

    private Output output(Map<String, String> environment, String... arguments) {
        var command = new ArrayList<>(List.of(file.toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectInput(new File("/dev/null"));
        builder.environment().keySet().retainAll(Set.of("PATH"));
        builder.environment().put(LOCALE, "C"); // Its messages are in English.
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Output(process.waitFor(), text);
        } catch (IOException e) {
            return new Output(1, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackupFailure("interrupted while %s ran", file);
        }
    }
}
