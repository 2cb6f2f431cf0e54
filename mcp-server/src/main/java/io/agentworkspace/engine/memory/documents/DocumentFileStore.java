package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.document.Upload;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.upload.FileTransfer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/**
 * Stores the files of documents in chunks. Each chunk is written and read by its own statement, so no
 * connection waits for a client.
 */
public final class DocumentFileStore implements FileTransfer {
    private static final int CHUNK = 256 * 1024;

    /** The retention time of a file without a document. */
    private static final Duration UNUSED = Duration.ofHours(1);

    private static final String UNUSED_FILES = Db.oldRows("document_upload", "tenant_id, id", """
                created_at < :until
                AND NOT EXISTS (SELECT 1 FROM document d
                                 WHERE d.tenant_id = document_upload.tenant_id AND d.upload_id = document_upload.id)
                """);

    private final Db db;
    private final Clock clock;

    public DocumentFileStore(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    @Override
    public Intake begin(Caller caller) {
        return begin(caller.tenant(), clock.instant());
    }

    private Arriving begin(long tenant, Instant now) {
        var id = UUID.randomUUID();
        db.sql("INSERT INTO document_upload (tenant_id, id, created_at) VALUES (:tenant, :id, :now)")
                .set("tenant", tenant)
                .set("id", id)
                .set("now", now)
                .run();
        return new Arriving(tenant, id);
    }

    /** Stores a file from memory, in the transaction of its document. */
    Upload store(long tenant, byte[] file, Instant now) {
        var intake = begin(tenant, now);
        intake.write(file, file.length);
        return intake.finish();
    }

    private final class Arriving implements Intake {
        private final long tenant;
        private final UUID id;
        private final MessageDigest digest = sha256();
        private final byte[] chunk = new byte[CHUNK];
        private int filled;
        private int chunks;
        private long size;

        Arriving(long tenant, UUID id) {
            this.tenant = tenant;
            this.id = id;
        }

        @Override
        public void write(byte[] bytes, int length) {
            size += length;
            if (size > Upload.MAX_BYTES) {
                throw tooLarge(size);
            }
            digest.update(bytes, 0, length);
            for (var from = 0; from < length; ) {
                var count = Math.min(length - from, CHUNK - filled);
                System.arraycopy(bytes, from, chunk, filled, count);
                filled += count;
                from += count;
                if (filled == CHUNK) {
                    flush();
                }
            }
        }

        private void flush() {
            if (filled > 0) {
                db.sql("""
                        INSERT INTO document_chunk (tenant_id, upload_id, n, bytes) VALUES (:tenant, :id, :n, :bytes)
                        """)
                        .set("tenant", tenant)
                        .set("id", id)
                        .set("n", chunks++)
                        .set("bytes", Arrays.copyOf(chunk, filled))
                        .run();
                filled = 0;
            }
        }

        @Override
        public Upload finish() {
            flush();
            return new Upload(id, size, HexFormat.of().formatHex(digest.digest()), null);
        }

        @Override
        public void abandon() {
            try {
                db.sql("""
                        DELETE FROM document_upload u
                         WHERE u.tenant_id = :tenant AND u.id = :id
                           AND NOT EXISTS (SELECT 1 FROM document d WHERE d.tenant_id = u.tenant_id AND d.upload_id = u.id)
                        """).set("tenant", tenant).set("id", id).run();
            } catch (Problem later) {
                // It is deleted in an hour.
            }
        }
    }

    static Problem tooLarge(long size) {
        return Problem.tooLarge("the file", size, Upload.MAX_BYTES, "bytes or more");
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public void copy(Caller caller, String document, OutputStream to) {
        try {
            for (var n = 0; ; n++) {
                var chunk = chunk(caller.tenant(), UUID.fromString(document), n);
                if (chunk.length == 0) {
                    return;
                }
                to.write(chunk);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a chunk of a document's file; empty after the last one. */
    public byte[] chunk(long tenant, UUID document, int n) {
        Optional<byte[]> found = db.sql("""
                SELECT c.bytes
                  FROM document d JOIN document_chunk c ON c.tenant_id = d.tenant_id AND c.upload_id = d.upload_id
                 WHERE d.tenant_id = :tenant AND d.id = :id AND c.n = :n
                """)
                .set("tenant", tenant)
                .set("id", document)
                .set("n", n)
                .one(row -> row.bytes("bytes"));
        return found.orElseGet(() -> new byte[0]);
    }

    /** Deletes files without a document. */
    public void purge(Instant now) {
        db.deleteOld(UNUSED_FILES, now.minus(UNUSED));
    }
}
