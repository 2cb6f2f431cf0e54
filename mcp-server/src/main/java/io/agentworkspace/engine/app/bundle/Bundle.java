package io.agentworkspace.engine.app.bundle;

import io.agentworkspace.engine.app.settings.InvalidSetting;
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
 * @param settings fails if one is not valid
 * @param environment of this process
 * @param doctor what the doctor says
 * @param database what the database says
 */
public record Bundle(
        Supplier<Settings> settings,
        String version,
        Map<String, String> environment,
        List<String> flags,
        Supplier<String> doctor,
        Supplier<String> database) {
    private static final Pattern SECRET =
            Pattern.compile("(?i).*(SECRET|TOKEN|PASS|KEY|CREDENTIAL|COOKIE|HEADERS|_URL).*");
    private static final Pattern IN_URL =
            Pattern.compile("(?i)[?&][\\w.-]*(?:pass|key|token|secret)[\\w.-]*=([^&\\s]+)|://[^/:@\\s]*:([^@\\s]+)@");

    /** What separates the words of a list, such as that of {@code OTEL_EXPORTER_OTLP_HEADERS}. */
    private static final Pattern BETWEEN = Pattern.compile("[,;=\\s]+|%20");

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
        try {
            return write(archive, redaction);
        } catch (IOException e) {
            Files.deleteIfExists(archive);
            throw e;
        }
    }

    private List<String> write(Path archive, Redaction redaction) throws IOException {
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
        var parts = new LinkedHashMap<String, Part>();
        parts.put("versions.txt", this::versions);
        parts.put("settings.txt", this::shown);
        parts.put("doctor.txt", doctor::get);
        parts.put("health.json", () -> engine().health());
        parts.put("database.txt", database::get);
        parts.put("metrics.txt", this::metrics);
        parts.put("threads.txt", RunningEngine::threads);
        parts.put("engine.log", () -> log(settings.get().logFile()));
        parts.put("postgres.log", () -> log(dataDir().resolve("postgres.log")));
        return parts;
    }

    private RunningEngine engine() {
        return new RunningEngine(settings.get());
    }

    private Path dataDir() {
        return settings.get().database().dataDir();
    }

    private String metrics() throws IOException, InterruptedException {
        var text = engine().metrics();
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
                known.add(Files.readString(dataDir().resolve(name)));
            } catch (IOException | InvalidSetting e) {
                // It does not exist, nobody here may read it, or no setting says where it is.
            }
        }
        return known.stream().flatMap(Bundle::parts).toList();
    }

    /** Returns a value and its parts: what is secret in a URL, and otherwise each word of a list. */
    private static Stream<String> parts(String value) {
        var found = value.contains("://")
                ? IN_URL.matcher(value).results().map(part -> part.group(1) == null ? part.group(2) : part.group(1))
                : BETWEEN.splitAsStream(value);
        return Stream.concat(Stream.of(value), found);
    }
}
