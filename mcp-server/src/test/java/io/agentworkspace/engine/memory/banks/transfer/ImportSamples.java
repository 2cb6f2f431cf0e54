package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.testing.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Samples of what other products export, made by hand. */
final class ImportSamples {
    /** The formats that have samples, by their words: those of the table of imports in memory-reference.md. */
    static final List<String> PRODUCTS = List.of(
            "chatgpt",
            "claude",
            "markdown",
            "gemini",
            "mem0",
            "zep",
            "letta",
            "basic-memory",
            "obsidian",
            "memory-server",
            "csv");

    private ImportSamples() {}

    private static Path folder(String product) {
        return Repository.file("mcp-server/src/test/resources/imports").resolve(product);
    }

    static String text(String file) {
        try {
            return Files.readString(folder(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<String, String> files(String product) {
        var files = new TreeMap<String, String>();
        try (var paths = Files.walk(folder(product))) {
            for (var path : paths.filter(Files::isRegularFile).toList()) {
                files.put(folder(product).relativize(path).toString(), Files.readString(path));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    /** Returns the product's files as the zip that it would send. */
    static byte[] zip(String product) {
        return TransferFiles.zip(files(product));
    }
}
