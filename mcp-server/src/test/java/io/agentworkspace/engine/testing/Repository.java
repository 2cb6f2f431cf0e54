package io.agentworkspace.engine.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The working tree of the tests, with its documents and sources. */
public final class Repository {
    public static final Path ROOT = root();

    private Repository() {}

    private static Path root() {
        return Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                .takeWhile(folder -> folder != null)
                .filter(folder -> Files.isExecutable(folder.resolve("engine")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the tests run in a checkout of the project"));
    }

    public static Path file(String path) {
        return ROOT.resolve(path);
    }

    public static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the files below a folder, at any depth and in order; none if there is no such folder. */
    public static List<Path> files(String folder, String suffix) {
        if (!Files.isDirectory(file(folder))) {
            return List.of();
        }
        try (var files = Files.walk(file(folder))) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the modules' Java files, including tests. */
    public static List<Path> sources() {
        try (var modules = Files.list(ROOT)) {
            return modules.filter(module -> Files.exists(module.resolve("pom.xml")))
                    .flatMap(module -> files(module.getFileName() + "/src", ".java").stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
