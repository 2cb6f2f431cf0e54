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

/** One of PostgreSQL's client programs, which this machine may have in several versions. */
record ClientProgram(Path file, int major) {
    /** Where packages install programs of several versions. */
    private static final List<String> FOLDERS =
            List.of("/usr/lib/postgresql", "/opt/homebrew/opt", "/usr"); // Red Hat: /usr/pgsql-18

    private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+)");
    private static final Pattern LEADING = Pattern.compile("\\d+");
    private static final String LOCALE = "LC_ALL";
    private static final int OUTPUT = 2_000;

    /**
     * Returns those that this machine has, the newest first; at least one.
     *
     * @param path the value of PATH
     */
    static List<ClientProgram> find(String name, String path) {
        var found = Stream.concat(
                        Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                                .splitAsStream(path)
                                .map(Path::of),
                        installed())
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .distinct()
                .flatMap(file -> version(file).map(major -> new ClientProgram(file, major)).stream())
                .sorted(Comparator.comparing(ClientProgram::major).reversed())
                .toList();
        if (found.isEmpty()) {
            throw new BackupFailure(
                    "%s is not installed: install PostgreSQL's client programs (Debian: postgresql-client)", name);
        }
        return found;
    }

    /**
     * Returns the one that is as new as a server, else the newest, which must be newer than the server.
     *
     * @param server its version, such as 18.6 or 19beta1
     */
    static ClientProgram of(List<ClientProgram> programs, String server) {
        var digits = LEADING.matcher(server);
        var needed = digits.lookingAt() ? Integer.parseInt(digits.group()) : 0;
        var newest = programs.getFirst();
        if (newest.major() < needed) {
            throw new BackupFailure(
                    "the database is PostgreSQL %d, and the newest %s here is of %d: install the client programs of %d (Debian: postgresql-client-%d)",
                    needed, newest.file().getFileName(), newest.major(), needed, needed);
        }
        return programs.stream()
                .filter(program -> program.major() == needed)
                .findFirst()
                .orElse(newest);
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
