package io.agentworkspace.engine.app.bundle;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.app.setup.RunningEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The archive for a bug report. What cannot be read is a line in its entry, so that a broken engine can be reported, too.
 *
 * @param environment of this process
 * @param doctor what the doctor says
 * @param database what the database says
 */
public record Bundle(
        Settings settings,
        String version,
        Map<String, String> environment,
        List<String> flags,
        Supplier<String> doctor,
        Supplier<String> database) {
    private static final Pattern SECRET =
            Pattern.compile("(?i).*(SECRET|TOKEN|PASS|KEY|CREDENTIAL|COOKIE|HEADERS|_URL).*");
    private static final List<String> FILES = List.of("first-api-key", "secrets-key", "postgres-password");

    /** A part of the archive. */
    private interface Part {
        String read() throws IOException, InterruptedException;
    }

    /** Writes the archive, which only its owner can read, and returns the names of its entries. */
    public List<String> write(Path archive) throws IOException {
        var redaction = new Redaction(known());
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.createFile(archive, owner);
        var names = new ArrayList<String>();
        try (var zip = new ZipOutputStream(Files.newOutputStream(archive))) {
            for (var part : parts().entrySet()) {
                zip.putNextEntry(new ZipEntry(part.getKey()));
                zip.write(redaction.of(read(part.getValue())).getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
                names.add(part.getKey());
            }
        }
        return names;
    }

    private Map<String, Part> parts() {
        var engine = new RunningEngine(settings);
        var parts = new LinkedHashMap<String, Part>();
        parts.put("versions.txt", this::versions);
        parts.put("settings.txt", this::shown);
        parts.put("doctor.txt", doctor::get);
        parts.put("health.json", engine::health);
        parts.put("database.txt", database::get);
        parts.put("metrics.txt", () -> metrics(engine));
        parts.put("threads.txt", RunningEngine::threads);
        parts.put("engine.log", () -> log(settings.logFile()));
        parts.put("postgres.log", () -> log(settings.database().dataDir().resolve("postgres.log")));
        return parts;
    }

    private static String metrics(RunningEngine engine) throws IOException, InterruptedException {
        var text = engine.metrics();
        return text.isEmpty() ? "closed: neither ENGINE_METRICS_TOKEN nor ENGINE_METRICS_LISTEN is set\n" : text;
    }

    private static String read(Part part) {
        try {
            return part.read();
        } catch (IOException | RuntimeException e) {
            return "cannot be read: %s%n".formatted(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted\n";
        }
    }

    private String versions() {
        return """
                engine %s
                Java %s, %s
                %s %s, %s, %d processors, a heap of at most %d MB
                """.formatted(
                        version,
                        Runtime.version(),
                        System.getProperty("java.vm.name"),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("os.arch"),
                        Runtime.getRuntime().availableProcessors(),
                        Runtime.getRuntime().maxMemory() >> 20);
    }

    private String shown() {
        var texts = Settings.shown(environment, flags);
        var lines = texts.entrySet().stream().map(each -> each.getKey() + " = " + each.getValue());
        var others = environment.keySet().stream()
                .filter(name -> !texts.containsKey(name) && (name.startsWith("ENGINE_") || name.startsWith("OTEL_")))
                .sorted()
                .map(name -> name + " is set");
        return Stream.concat(lines, others).collect(Collectors.joining("\n", "", "\n"));
    }

    private static String log(@Nullable Path file) throws IOException {
        if (file == null) {
            return "ENGINE_LOG_FILE is not set: if you kept the log, name it with --log-file\n";
        }
        return Files.exists(file) ? LogExcerpt.of(file) : "there is none\n";
    }

    /** Returns values that are secret whatever they look like. */
    private List<String> known() {
        var known = new ArrayList<>(Settings.secrets(environment, flags));
        environment.forEach((name, value) -> {
            if (SECRET.matcher(name).matches()) {
                known.add(value);
            }
        });
        for (var name : FILES) {
            try {
                known.add(Files.readString(settings.database().dataDir().resolve(name)));
            } catch (IOException e) {
                // It does not exist, or nobody here may read it.
            }
        }
        return known.stream().flatMap(Bundle::parts).toList();
    }

    /** Returns a value and its parts, such as the password in a URL. */
    private static Stream<String> parts(String value) {
        var parts =
                Pattern.compile("password=([^&\\s]+)|://[^/:@\\s]*:([^@\\s]+)@").matcher(value);
        var found = parts.results().map(result -> result.group(1) == null ? result.group(2) : result.group(1));
        return Stream.concat(Stream.of(value), found);
    }
}
