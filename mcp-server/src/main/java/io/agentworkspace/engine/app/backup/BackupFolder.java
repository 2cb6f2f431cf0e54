package io.agentworkspace.engine.app.backup;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import tools.jackson.core.JacksonException;

/** The folder of a backup: a dump of {@code pg_dump}, and the manifest, which is written last. */
record BackupFolder(Path path) {
    static BackupFolder create(Path path) {
        try {
            if (Files.isDirectory(path)) {
                try (var files = Files.list(path)) {
                    if (files.findAny().isPresent()) {
                        throw new BackupFailure("%s is not empty: name a new folder for each backup", path);
                    }
                }
            } else {
                Files.createDirectories(path);
            }
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
            return new BackupFolder(path);
        } catch (IOException e) {
            throw new BackupFailure("cannot write into %s: %s", path, e);
        }
    }

    Path dump() {
        return path.resolve("database.dump");
    }

    private Path manifest() {
        return path.resolve("manifest.json");
    }

    /** Deletes a dump that is not complete. */
    void discard() {
        try {
            Files.deleteIfExists(dump());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(Manifest manifest) {
        try {
            Files.writeString(manifest(), Json.pretty(manifest));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the manifest, after the dump's size and checksum were compared with it. */
    Manifest checked() {
        var manifest = read();
        if (!Files.exists(dump())) {
            throw new BackupFailure("%s is missing: the backup is not complete", dump());
        }
        if (size() != manifest.bytes()) {
            throw new BackupFailure(
                    "%s is damaged: it has %,d bytes, and had %,d when the backup was made",
                    dump(), size(), manifest.bytes());
        }
        if (!sha256().equals(manifest.sha256())) {
            throw new BackupFailure("%s is damaged: its checksum differs from that of the manifest", dump());
        }
        return manifest;
    }

    private Manifest read() {
        if (!Files.exists(manifest())) {
            throw new BackupFailure(
                    "%s is missing: this is no complete backup of ./engine backup, which writes that file last",
                    manifest());
        }
        try {
            return Json.readValue(Files.readString(manifest()), Manifest.class);
        } catch (IOException | JacksonException e) {
            throw new BackupFailure("%s is damaged: it cannot be read", manifest());
        }
    }

    long size() {
        try {
            return Files.size(dump());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String sha256() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            try (var out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
                Files.copy(dump(), out);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
