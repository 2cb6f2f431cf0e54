package io.agentworkspace.engine.skills;

import io.agentworkspace.engine.model.problem.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A skill as a zip. Archives come from untrusted sources: only plain files are accepted, what an entry claims about
 * itself is ignored, and no more is unpacked than a skill may have.
 */
public final class SkillArchive {
    /** The maximum size of a zip, in bytes. */
    public static final int MAX_BYTES = 1024 * 1024;

    private static final String FIELD = "archive";
    private static final int KIND_OF_FILE = 0xF000;
    private static final int PLAIN = 0x8000;
    private static final int UNKNOWN = 0;

    /**
     * The time of every entry. The real time would disclose when a file was written, and change the digest. The first
     * of January, the earliest date of a zip, is avoided: it is written with Java's time zone.
     */
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

    private SkillArchive() {}

    /**
     * Writes the files in their order, SKILL.md at the root, uncompressed. The same skill always gives the same
     * bytes.
     */
    public static byte[] write(Skill skill) {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes, StandardCharsets.UTF_8)) {
            zip.setMethod(ZipOutputStream.STORED);
            for (var file : skill.files()) {
                var entry = new ZipEntry(file.path());
                entry.setTimeLocal(NO_TIME);
                entry.setSize(file.size());
                entry.setCrc(crc(file.bytes()));
                zip.putNextEntry(entry);
                zip.write(file.bytes());
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads a zip of the skill's files, or of one folder with them, whose name is then the skill's.
     *
     * @throws Problem {@code invalid_field} or {@code too_large}, with what is required
     */
    public static Skill read(byte[] zip) {
        if (zip.length > MAX_BYTES) {
            throw Problem.tooLarge(FIELD, zip.length, MAX_BYTES, "bytes");
        }
        try (var archive = ZipFile.builder()
                .setSeekableByteChannel(new SeekableInMemoryByteChannel(zip))
                .get()) {
            return read(archive);
        } catch (Problem problem) {
            throw problem;
        } catch (IOException | RuntimeException e) {
            // The library throws many types of exceptions for bytes that are not a zip.
            throw Problem.invalid(FIELD, "must be a complete zip: this one cannot be read");
        }
    }

    private static Skill read(ZipFile archive) throws IOException {
        var entries = Collections.list(archive.getEntries()).stream()
                .filter(entry -> !entry.isDirectory() && !isClutter(entry.getName()))
                .toList();
        var folder = folder(entries);
        var files = new ArrayList<SkillFile>();
        for (var entry : entries) {
            var path = folder == null ? entry.getName() : entry.getName().substring(folder.length() + 1);
            SkillFile.checkPath(path);
            checkKind(entry, path);
            files.add(SkillFile.of(path, bytes(archive, entry, path)));
            Skill.checkSum(files);
        }
        return folder == null ? Skill.of(files) : Skill.of(folder, files);
    }

    /** Returns whether a file is one that some file managers add to every zip. */
    private static boolean isClutter(String name) {
        return name.startsWith("__MACOSX/") || name.equals(".DS_Store") || name.endsWith("/.DS_Store");
    }

    /** Returns the folder that contains everything, if SKILL.md is not at the root. */
    private static @Nullable String folder(List<ZipArchiveEntry> entries) {
        if (entries.isEmpty()
                || entries.stream().anyMatch(entry -> entry.getName().equals(Skill.MAIN))) {
            return null;
        }
        var first = entries.getFirst().getName();
        var folder = first.substring(0, Math.max(0, first.indexOf('/')));
        return !folder.isEmpty()
                        && entries.stream().allMatch(entry -> entry.getName().startsWith(folder + "/"))
                ? folder
                : null;
    }

    private static void checkKind(ZipArchiveEntry entry, String path) {
        var kind = entry.getUnixMode() & KIND_OF_FILE;
        if (kind != PLAIN && kind != UNKNOWN) {
            throw invalid(path, "must be a plain file, not a link or a device");
        }
        if (entry.getGeneralPurposeBit().usesEncryption()) {
            throw invalid(path, "must not be encrypted");
        }
        if (entry.getMethod() != ZipEntry.STORED && entry.getMethod() != ZipEntry.DEFLATED) {
            throw invalid(path, "must be stored, or compressed with the usual method (deflate)");
        }
    }

    private static byte[] bytes(ZipFile archive, ZipArchiveEntry entry, String path) throws IOException {
        try (var in = archive.getInputStream(entry)) {
            var bytes = in.readNBytes(SkillFile.MAX_BYTES + 1);
            var isWhole = bytes.length == entry.getSize() && crc(bytes) == entry.getCrc();
            if (bytes.length <= SkillFile.MAX_BYTES && !isWhole) {
                throw invalid(path, "is damaged: its size or checksum is not that of its content");
            }
            return bytes;
        }
    }

    private static long crc(byte[] bytes) {
        var crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    private static Problem invalid(String path, String rule) {
        return Problem.invalid("the file '%s'".formatted(path), rule);
    }
}
