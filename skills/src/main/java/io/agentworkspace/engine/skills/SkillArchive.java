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
 * A skill as a zip. What is read comes from strangers: only plain files are taken, nothing is believed that an entry claims,
 * and no more is unpacked than a skill may have.
 */
public final class SkillArchive {
    /** The largest zip that is read, in bytes. */
    public static final int MAX_BYTES = 1024 * 1024;

    private static final String FIELD = "archive";
    private static final int KIND_OF_FILE = 0xF000;
    private static final int PLAIN = 0x8000;
    private static final int UNKNOWN = 0;

    /**
     * When a file was written is nobody's business, and would change the digest. The first of January, the earliest that a zip can
     * tell, is written as a time of the time zone that Java is in.
     */
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

    private SkillArchive() {}

    /**
     * The files in their order, SKILL.md at the root, as they are and not compressed: the same bytes for the same skill,
     * whatever wrote them and whenever.
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
     * Reads a zip of the skill's files, or of the one folder that they lie in, which then has the skill's name.
     *
     * @throws Problem {@code invalid_field} or {@code too_large}, saying what would be right
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
        } catch (IOException | RuntimeException e) { // The library throws many kinds at bytes that are no zip.
            throw Problem.invalid(FIELD, "must be a zip, and whole: this one cannot be read");
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

    /** What some file managers put into every zip. */
    private static boolean isClutter(String name) {
        return name.startsWith("__MACOSX/") || name.equals(".DS_Store") || name.endsWith("/.DS_Store");
    }

    /** The folder that everything lies in, where SKILL.md is not at the root. */
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
