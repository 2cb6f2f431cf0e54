package io.agentworkspace.engine.testing;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.agentworkspace.engine.wire.Wire;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The JVM's start-up cache for the engines that tests start as processes, which then start with half the processor time. It is created once for
 * each state of the classes, as the launcher does. A cache knows only jars, so the folders of classes become jars, too. Only a run of
 * Maven has it, since it takes longer to create than it saves a single test.
 */
public final class StartUpCache {
    private static final boolean IS_ON = Boolean.getBoolean("startup.cache");
    private static final Path FOLDER = Path.of("target", "start-up").toAbsolutePath();

    /** The same for the cache and those who use it. */
    private static final List<String> JVM = List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+UseCompactObjectHeaders");

    private static final StartUpCache HERE = IS_ON ? created() : new StartUpCache(classPath(), List.of());

    private final String classPath;
    private final List<String> options;

    private StartUpCache(String classPath, List<String> options) {
        this.classPath = classPath;
        this.options = options;
    }

    /** Returns the program that starts a JVM, and its options. */
    public static List<String> java() {
        var all = new ArrayList<>(JVM);
        all.addAll(HERE.options);
        return all;
    }

    /** Returns the class path to start it with. */
    public static String jars() {
        return HERE.classPath;
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    private static StartUpCache created() {
        try {
            Files.createDirectories(FOLDER);
            try (var channel = FileChannel.open(FOLDER.resolve("lock"), CREATE, WRITE);
                    var _ = channel.lock()) {
                var state = new CRC32();
                var jars = new ArrayList<String>();
                for (var entry : classPath().split(File.pathSeparator)) {
                    var path = Path.of(entry);
                    add(path, state);
                    jars.add(
                            Files.isDirectory(path)
                                    ? FOLDER.resolve(jars.size() + ".jar").toString()
                                    : entry);
                }
                var cache = FOLDER.resolve("%08x.aot".formatted(state.getValue()));
                var jarPath = String.join(File.pathSeparator, jars);
                if (!Files.exists(cache)) {
                    deleteOlder();
                    create(jars, jarPath, cache);
                }
                return new StartUpCache(jarPath, List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=error"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds the names, sizes and times of an entry's files. */
    private static void add(Path entry, CRC32 state) throws IOException {
        if (!Files.exists(entry)) {
            return;
        }
        var lines = new TreeSet<String>();
        Files.walkFileTree(entry, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                lines.add("%s %d %s".formatted(file, attributes.size(), attributes.lastModifiedTime()));
                return FileVisitResult.CONTINUE;
            }
        });
        lines.forEach(line -> state.update(line.getBytes(StandardCharsets.UTF_8)));
    }

    private static void deleteOlder() throws IOException {
        try (var files = Files.list(FOLDER)) {
            for (var file :
                    (Iterable<Path>) files.filter(path -> path.toString().endsWith(".aot"))::iterator) {
                Files.delete(file);
            }
        }
    }

    private static void create(List<String> jars, String jarPath, Path cache) throws IOException {
        var folders = classPath().split(File.pathSeparator);
        for (var i = 0; i < folders.length; i++) {
            if (Files.isDirectory(Path.of(folders[i]))) {
                pack(Path.of(folders[i]), Path.of(jars.get(i)));
            }
        }
        start(jarPath, cache);
        if (!Files.exists(cache)) {
            throw new IOException("no start-up cache: " + Files.readString(FOLDER.resolve("log")));
        }
    }

    /** The JVM writes the cache when the engine has stopped. */
    private static void start(String jarPath, Path cache) throws IOException {
        var data = Files.createTempDirectory("start-up");
        PreparedDatabase.into(data);
        var command = new ArrayList<>(JVM);
        command.addAll(List.of(
                "-XX:AOTCacheOutput=" + cache,
                WatchedEngine.class.getName(),
                "--port=0",
                "--embedding=off",
                "--data-dir=" + data));
        var builder =
                new ProcessBuilder(command).redirectError(FOLDER.resolve("log").toFile());
        builder.environment().putAll(Wire.reportingHere());
        builder.environment().put("CLASSPATH", jarPath);
        var process = builder.start();
        try (var output = process.inputReader()) {
            EngineProcess.lineAfterTheKey(process);
            process.toHandle().destroy();
            output.transferTo(Writer.nullWriter());
            process.waitFor();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void pack(Path folder, Path jar) throws IOException {
        try (var out = new ZipOutputStream(Files.newOutputStream(jar));
                var files = Files.walk(folder)) {
            out.setLevel(Deflater.NO_COMPRESSION);
            for (var file : (Iterable<Path>) files.skip(1)::iterator) {
                var name = folder.relativize(file).toString();
                if (Files.isDirectory(file)) {
                    out.putNextEntry(new ZipEntry(name + "/"));
                } else {
                    out.putNextEntry(new ZipEntry(name));
                    Files.copy(file, out);
                }
            }
        }
    }
}
