package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.documents.load.LoadQueries.Source;
import io.agentworkspace.engine.documents.load.Piece;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Bank;
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
import java.util.UUID;

/**
 * The memories of a bank that come from a document. A newer version takes the place of the older one: what is the same in both keeps its
 * memories, the rest is removed and added, in the transaction of the call.
 */
public final class DocumentLoadStore {
    private static final String INSERT = """
            INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, source, created_at, updated_at)
            SELECT :tenant, :bank, p.id, p.text, '{}', :author, ARRAY[CAST(:author AS bigint)], '{}',
                   jsonb_build_object('kind', 'document', 'name', CAST(:name AS text), 'version', CAST(:version AS bigint),
                                      'position', p.position),
                   :now, :now
              FROM unnest(CAST(:ids AS uuid[]), CAST(:texts AS text[]), CAST(:positions AS text[])) p (id, text, position)
            """;

    /** Where it comes from changes no revision: the text is the same. */
    private static final String MOVE = """
            UPDATE memory m
               SET source = jsonb_build_object('kind', 'document', 'name', CAST(:name AS text), 'version', CAST(:version AS bigint),
                                               'position', p.position)
              FROM unnest(CAST(:ids AS uuid[]), CAST(:positions AS text[])) p (id, position)
             WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = p.id
            """;

    private static final String NOTE = """
            INSERT INTO document_memory (tenant_id, bank_id, memory_id, name_key, document_id, version, n, digest)
            SELECT :tenant, :bank, p.id, :key, :document, :version, p.n, p.digest
              FROM unnest(CAST(:ids AS uuid[]), CAST(:digests AS text[])) WITH ORDINALITY p (id, digest, n)
            """;

    private final Db db;
    private final BankStore banks;

    public DocumentLoadStore(Db db, BankStore banks) {
        this.db = db;
        this.banks = banks;
    }

    /** What loading a document changed. */
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

    private record Old(UUID id, long author, String digest, long version, boolean gone) {}

    /** Puts the pieces of the document into the bank, which the caller may add to. */
    Result load(Call call, BankStore.Held bank, Ref author, Source source) {
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
        var version = old.isEmpty() ? 0 : old.getFirst().version();
        var result = new Result(
                source.name(), source.version(), ids.size(), added.size(), ids.size() - added.size(), removed.size());
        if (result.changed() || version != source.version()) {
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

    /** From its return on nobody else loads the document into the bank, and nobody deletes this version of it. */
    private List<Old> lock(Call call, BankStore.Held bank, Source source) {
        db.sql(call, "SELECT pg_advisory_xact_lock(hashtextextended('load ' || :key, CAST(:bank AS bigint)))")
                .set("key", source.key())
                .set("bank", bank.id())
                .one(_ -> true);
        var isThere = db.sql(call, """
                SELECT 1 FROM document WHERE tenant_id = :tenant AND id = :id AND state = 'accepted' FOR SHARE
                """).set("id", source.id()).one(_ -> true).isPresent();
        if (!isThere) {
            throw Problem.conflict("the document was changed meanwhile; send the request again");
        }
        return db.sql(call, """
                SELECT l.memory_id, m.author_id, l.digest, l.version, m.deleted_at IS NOT NULL AS gone
                  FROM document_memory l
                  JOIN memory m ON m.tenant_id = l.tenant_id AND m.bank_id = l.bank_id AND m.id = l.memory_id
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
                        row.number("version"),
                        row.flag("gone")));
    }

    private void write(
            Call call,
            BankStore.Held bank,
            Ref author,
            Source source,
            List<UUID> ids,
            Map<UUID, Piece> added,
            List<UUID> removed) {
        db.sql(call, "DELETE FROM document_memory WHERE tenant_id = :tenant AND bank_id = :bank AND name_key = :key")
                .set("bank", bank.id())
                .set("key", source.key())
                .run();
        if (!removed.isEmpty()) {
            db.sql(call, """
                    DELETE FROM memory WHERE tenant_id = :tenant AND bank_id = :bank AND id = ANY (CAST(:ids AS uuid[]))
                    """).set("bank", bank.id()).set("ids", removed).run();
        }
        if (!added.isEmpty()) {
            var news = added.keySet().stream().toList();
            db.sql(call, INSERT)
                    .set("bank", bank.id())
                    .set("author", author.id())
                    .set("name", source.name())
                    .set("version", source.version())
                    .set("ids", news)
                    .set("texts", added.values().stream().map(Piece::text).toList())
                    .set(
                            "positions",
                            added.values().stream().map(Piece::position).toList())
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

    private void move(Call call, BankStore.Held bank, Source source, List<UUID> ids, Map<UUID, Piece> added) {
        var kept = new ArrayList<UUID>();
        var positions = new ArrayList<String>();
        for (var i = 0; i < ids.size(); i++) {
            if (!added.containsKey(ids.get(i))) {
                kept.add(ids.get(i));
                positions.add(source.pieces().get(i).position());
            }
        }
        if (!kept.isEmpty()) {
            db.sql(call, MOVE)
                    .set("bank", bank.id())
                    .set("name", source.name())
                    .set("version", source.version())
                    .set("ids", kept)
                    .set("positions", positions)
                    .run();
        }
    }

    /** The bank as it is now. */
    Bank record(Call call, BankStore.Held bank) {
        return banks.record(call, bank);
    }
}
