package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.QuotedText;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A folder of files as a zip. Zips come from untrusted sources: one with anything but plain files in plain folders is
 * refused as a whole.
 */
public final class ZipFolder implements Closeable {
    private static final int KIND_OF_FILE = 0xF000;
    private static final int PLAIN = 0x8000;
    private static final int FOLDER = 0x4000;
    private static final Pattern CLUTTER =
            Pattern.compile("__MACOSX/.*|(.*/)?(\\.DS_Store|Thumbs\\.db|\\.git/.*|node_modules/.*)");

    /** The earliest date that a zip can have, for files without one. */
    private static final Instant NO_DATE = Instant.parse("1980-01-02T00:00:00Z");

    private static final int WINDOW = 1 << 16;

    private final ZipFile archive;
    private final long most;
    private long unpacked;

    /**
     * What a zip may contain.
     *
     * @param files the number of its entries
     * @param unpacked the bytes of all files that are read together
     */
    public record Bounds(int files, long unpacked) {}

    private ZipFolder(ZipFile archive, Bounds bounds) {
        this.archive = archive;
        this.most = bounds.unpacked();
    }

    /** @throws Problem if it cannot be read, or contains more than a folder of plain files */
    public static ZipFolder open(SeekableByteChannel zip, Bounds bounds) throws IOException {
        checkCount(zip, bounds.files());
        try {
            var archive = ZipFile.builder().setSeekableByteChannel(zip).get();
            Collections.list(archive.getEntries()).forEach(ZipFolder::check);
            return new ZipFolder(archive, bounds);
        } catch (Problem problem) {
            throw problem;
        } catch (IOException | RuntimeException e) {
            throw damaged();
        }
    }

    /** The library throws many types of exceptions for bytes that are not a zip. */
    private static Problem damaged() {
        return Problem.invalid("the zip", "must be complete: this one cannot be read");
    }

    /** Counts the entries of the zip's directory by their signature, before anything is read from it. */
    private static void checkCount(SeekableByteChannel zip, int most) throws IOException {
        var window = ByteBuffer.allocate(WINDOW);
        var count = 0;
        var last = 0;
        zip.position(0);
        while (zip.read(window.clear()) > 0) {
            window.flip();
            while (window.hasRemaining()) {
                last = last << 8 | window.get() & 0xFF;
                count += last == 0x504B0102 ? 1 : 0;
            }
        }
        zip.position(0);
        if (count > most) {
            throw Problem.tooLarge("the zip", count, most, "files");
        }
    }

    /** Refuses what no folder of files has. */
    private static void check(ZipArchiveEntry entry) {
        var path = entry.getName();
        var parts = List.of(path.replace('\\', '/').split("/", -1));
        if (path.startsWith("/") || path.indexOf('\\') >= 0 || path.matches("[A-Za-z]:.*") || parts.contains("..")) {
            throw invalid(path, "must be inside the folder: no absolute path, no backslash and no '..'");
        }
        var kind = entry.getUnixMode() & KIND_OF_FILE;
        if (entry.isUnixSymlink() || kind != PLAIN && kind != FOLDER && kind != 0) {
            throw invalid(path, "must be a plain file, not a link or a device");
        }
        if (entry.getGeneralPurposeBit().usesEncryption()) {
            throw invalid(path, "must not be encrypted");
        }
        if (entry.getMethod() != ZipEntry.STORED && entry.getMethod() != ZipEntry.DEFLATED) {
            throw invalid(path, "must be stored or deflated");
        }
    }

    /** Returns the refusal of a file of the zip. */
    public static Problem invalid(String path, String rule) {
        return Problem.invalid("the file '%s'".formatted(excerpt(path)), rule);
    }

    /** Returns a path for a report. */
    public static String excerpt(String path) {
        return QuotedText.shortened(path.replaceAll("\\p{Cc}", "?"));
    }

    /** Returns its files, without folders and what systems add to them. */
    public List<Entry> files() {
        var files = new ArrayList<Entry>();
        for (var entry : Collections.list(archive.getEntries())) {
            if (!entry.isDirectory() && !CLUTTER.matcher(entry.getName()).matches()) {
                files.add(new Entry(entry.getName(), date(entry), entry));
            }
        }
        return files;
    }

    /** A file of the zip. */
    public record Entry(String path, @Nullable Instant date, ZipArchiveEntry inner) {}

    /** Opens a file. What an entry claims about its size is ignored: the bytes are counted as they are unpacked. */
    public InputStream open(Entry entry) throws IOException {
        try {
            return new Counted(archive.getInputStream(entry.inner()));
        } catch (RuntimeException e) {
            throw damaged();
        }
    }

    /** Counts what is unpacked, and refuses more than the zip may have. */
    private final class Counted extends FilterInputStream {
        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            var count = unpacked(into, from, length);
            unpacked += Math.max(0, count);
            if (unpacked > most) {
                throw Problem.tooLarge("the unpacked zip", unpacked, most, "bytes or more");
            }
            return count;
        }

        private int unpacked(byte[] into, int from, int length) {
            try {
                return super.in.read(into, from, length);
            } catch (IOException | RuntimeException e) {
                throw damaged();
            }
        }
    }

    private static @Nullable Instant date(ZipArchiveEntry entry) {
        var date = entry.getLastModifiedDate() == null
                ? null
                : entry.getLastModifiedDate().toInstant();
        return date == null || date.isBefore(NO_DATE) ? null : date;
    }

    @Override
    public void close() throws IOException {
        archive.close();
    }
}
