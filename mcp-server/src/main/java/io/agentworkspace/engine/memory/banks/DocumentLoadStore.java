package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.memory.documents.load.LoadQueries.Source;
import io.agentworkspace.engine.memory.documents.load.Piece;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores the memories of a bank that come from a document. A newer version replaces an older one in the transaction of
 * the call: unchanged pieces keep their memories, the others are removed and added.
 */
final class DocumentLoadStore {
    /** A turn of a conversation has the time at which it was said. */
    private static final String INSERT = """
        INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, source, created_at, updated_at)
        SELECT home.tenant_id, :bank, p.id, p.text, '{}', :author, ARRAY[CAST(:author AS bigint)], '{}',
               CAST(p.source AS jsonb), p.at, p.at
          FROM tenant_plan home
         CROSS JOIN (SELECT u.*, LEAST(COALESCE(CAST(CAST(u.source AS jsonb) ->> 'time' AS timestamptz), :now), :now) AS at
                  FROM unnest(CAST(:ids AS uuid[]), CAST(:texts AS text[]), CAST(:sources AS text[])) u (id, text, source)) p
         WHERE home.tenant_id = :tenant
        """;

    /** A new source raises no revision, since the text is the same. */
    private static final String MOVE = """
        UPDATE memory m
           SET source = CAST(p.source AS jsonb)
          FROM unnest(CAST(:ids AS uuid[]), CAST(:sources AS text[])) p (id, source)
         WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = p.id
        """;

    private static final String NOTE = """
            INSERT INTO document_memory (tenant_id, bank_id, memory_id, name_key, document_id, version, n, digest)
            SELECT home.tenant_id, :bank, p.id, :key, :document, :version, p.n, p.digest
              FROM tenant_plan home
             CROSS JOIN unnest(CAST(:ids AS uuid[]), CAST(:digests AS text[])) WITH ORDINALITY p (id, digest, n)
             WHERE home.tenant_id = :tenant
            """;

    /**
     * The version to load, if it is still the newest accepted one; and the newer version in the bank that is being
     * validated again. One statement, since that version may be accepted at any time.
     */
    private static final String CHECK = """
            SELECT (SELECT max(n.version)
                      FROM document n
                     WHERE n.tenant_id = :tenant AND n.name_key = d.name_key AND n.version > d.version
                       AND n.state IN ('queued', 'validating')
                       AND EXISTS (SELECT 1 FROM document_memory l
                                    WHERE l.tenant_id = :tenant AND l.document_id = n.id AND l.bank_id = :bank)) AS waiting
              FROM document d
             WHERE d.tenant_id = :tenant AND d.id = :id AND d.name_key = :key AND d.state = 'accepted'
               AND NOT EXISTS (SELECT 1 FROM document n
                                WHERE n.tenant_id = :tenant AND n.name_key = d.name_key AND n.state = 'accepted'
                                  AND n.version > d.version)
               FOR SHARE OF d
            """;

    /** What is in the trash stays connected with its document. */
    private static final String FORGET = """
            DELETE FROM document_memory l
             USING memory m
             WHERE l.tenant_id = :tenant AND l.bank_id = :bank AND l.name_key = :key
               AND m.tenant_id = :tenant AND m.bank_id = l.bank_id AND m.id = l.memory_id AND m.deleted_at IS NULL
            """;

    private final Db db;
    private final BankStore banks;

    public DocumentLoadStore(Db db, BankStore banks) {
        this.db = db;
        this.banks = banks;
    }

    /** The result of loading a document into a bank. */
    record Result(
            @Doc("The document's name.") String name,
            @Doc("The version that the bank has now.") long version,
            @Doc("How many memories it has there.") long memories,
            @Doc("How many of them are new.") long added,

            @Doc("How many are the same as before, with their ids.")
            long kept,

            @Doc("How many were removed, since this version no longer has them.")
            long removed) {
        boolean changed() {
            return added + removed > 0;
        }
    }

    /** @param name the document's name when it was loaded; null if it has another source by now */
    private record Old(
            UUID id,
            long author,
            String digest,
            UUID document,
            long version,
            boolean gone,
            @Nullable String name) {
        boolean isOf(Source source) {
            return document.equals(source.id()) && (name == null || name.equals(source.name()));
        }
    }

    /** Loads the pieces of the document into the bank. The caller must be permitted to add to it. */
    Result load(Call call, BankStore.LockedBank bank, Ref author, Source source) {
        var old = lock(call, bank, source);
        var free = new HashMap<String, Deque<Old>>();
        old.stream()
                .filter(memory -> !memory.gone())
                .forEach(memory -> free.computeIfAbsent(memory.digest(), _ -> new ArrayDeque<>())
                        .add(memory));
        var ids = new ArrayList<UUID>();
        var added = new LinkedHashMap<UUID, Piece>();
        for (var piece : source.pieces()) {
            var same = free.getOrDefault(piece.digest(), new ArrayDeque<>()).poll();
            ids.add(same == null ? UUID.randomUUID() : same.id());
            if (same == null) {
                added.put(ids.getLast(), piece);
            }
        }
        var removed = free.values().stream().flatMap(Deque::stream).toList();
        // A deleted document that was handed in again may have the same version, but it has another id.
        var isLoaded = old.stream().filter(memory -> !memory.gone()).allMatch(memory -> memory.isOf(source));
        var result = new Result(
                source.name(), source.version(), ids.size(), added.size(), ids.size() - added.size(), removed.size());
        if (result.changed() || !isLoaded) {
            if (removed.stream().anyMatch(memory -> memory.author() != author.id())) {
                bank.permission().require(Permission.WRITE);
            }
            write(
                    call,
                    bank,
                    author,
                    source,
                    ids,
                    added,
                    removed.stream().map(Old::id).toList());
        }
        return result;
    }

    /** Locks the document in the bank: until the transaction ends, nobody else can load it or delete this version. */
    private List<Old> lock(Call call, BankStore.LockedBank bank, Source source) {
        db.sql(call, "SELECT pg_advisory_xact_lock(hashtextextended('load ' || :key, CAST(:bank AS bigint)))")
                .set("key", source.key())
                .set("bank", bank.id())
                .one(_ -> true);
        var waiting = db.sql(call, CHECK)
                .set("id", source.id())
                .set("key", source.key())
                .set("bank", bank.id())
                .one(row -> Optional.ofNullable(row.numberOrNull("waiting")))
                .orElseThrow(() -> Problem.conflict("the document changed at the same time; send the request again"));
        if (waiting.isPresent()) {
            throw Problem.conflict(
                    "the bank has version %1$d of '%2$s', which is being validated again; loading version %3$d would replace it: load when DC_Read shows that version %1$d is accepted or rejected"
                            .formatted(waiting.get(), source.name(), source.version()));
        }
        return db.sql(call, """
                SELECT l.memory_id, m.author_id, l.digest, l.document_id, l.version, m.deleted_at IS NOT NULL AS gone, m.source ->> 'name' AS name
                  FROM document_memory l
                  JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = l.bank_id AND m.id = l.memory_id
                 WHERE l.tenant_id = :tenant AND l.bank_id = :bank AND l.name_key = :key
                 ORDER BY l.n
                   FOR UPDATE OF m
                """)
                .set("bank", bank.id())
                .set("key", source.key())
                .list(row -> new Old(
                        UUID.fromString(row.text("memory_id")),
                        row.number("author_id"),
                        row.text("digest"),
                        UUID.fromString(row.text("document_id")),
                        row.number("version"),
                        row.flag("gone"),
                        row.textOrNull("name")));
    }

    private void write(
            Call call,
            BankStore.LockedBank bank,
            Ref author,
            Source source,
            List<UUID> ids,
            Map<UUID, Piece> added,
            List<UUID> removed) {
        call.changed(bank.contentChanged());
        call.changed(Change.memories(bank.id(), "stored", added.keySet()));
        db.sql(call, FORGET).set("bank", bank.id()).set("key", source.key()).run();
        if (!removed.isEmpty()) {
            var gone =
                    db.sql(call, """
                    DELETE FROM memory WHERE tenant_id = :tenant AND bank_id = :bank AND id = ANY (CAST(:ids AS uuid[]))
                    """).set("bank", bank.id()).set("ids", removed).run();
            call.ended(Scope.MEMORIES, gone);
        }
        if (!added.isEmpty()) {
            var news = added.keySet().stream().toList();
            db.sql(call, INSERT)
                    .set("bank", bank.id())
                    .set("author", author.id())
                    .set("ids", news)
                    .set("texts", added.values().stream().map(Piece::text).toList())
                    .set(
                            "sources",
                            added.values().stream()
                                    .map(piece -> json(source, piece))
                                    .toList())
                    .run();
            call.created(Scope.MEMORIES, news.size());
        }
        move(call, bank, source, ids, added);
        db.sql(call, NOTE)
                .set("bank", bank.id())
                .set("key", source.key())
                .set("document", source.id())
                .set("version", source.version())
                .set("ids", ids)
                .set("digests", source.pieces().stream().map(Piece::digest).toList())
                .run();
    }

    private void move(Call call, BankStore.LockedBank bank, Source source, List<UUID> ids, Map<UUID, Piece> added) {
        var kept = new ArrayList<UUID>();
        var sources = new ArrayList<String>();
        for (var i = 0; i < ids.size(); i++) {
            if (!added.containsKey(ids.get(i))) {
                kept.add(ids.get(i));
                sources.add(json(source, source.pieces().get(i)));
            }
        }
        if (!kept.isEmpty()) {
            db.sql(call, MOVE)
                    .set("bank", bank.id())
                    .set("ids", kept)
                    .set("sources", sources)
                    .run();
        }
    }

    private static String json(Source source, Piece piece) {
        var json = Json.object()
                .put("kind", "document")
                .put("name", source.name())
                .put("version", source.version())
                .put("position", piece.position());
        var turn = piece.turn();
        if (turn != null) {
            json.put("speaker", turn.speaker());
            json.put("time", turn.time() == null ? null : turn.time().toString());
            json.put("session", turn.session());
        }
        return Json.text(json);
    }

    /** Returns the bank's current record. */
    Bank record(Call call, BankStore.LockedBank bank) {
        return banks.record(call, bank);
    }
}
