package io.agentworkspace.engine.workspace.chat;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.agent.Message.Attachment;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.messages.AttachedDocument;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds the documents that a message attaches: the version with an id, or the newest one of a name. */
final class AttachmentQueries {
    static final int MOST = 10;

    private static final String FIND = """
            SELECT d.id, d.name, d.version, COALESCE(d.media_type, d.declared_type) AS media_type, d.size
              FROM unnest(CAST(:ids AS uuid[]), CAST(:keys AS text[])) WITH ORDINALITY k (id, key, n)
              LEFT JOIN LATERAL (
                  SELECT x.* FROM document x
                   WHERE x.tenant_id = :tenant AND (x.id = k.id OR x.name_key = k.key)
                   ORDER BY x.id = k.id DESC NULLS LAST, x.version DESC
                   LIMIT 1) d ON true
             ORDER BY k.n
            """;

    private final Db db;

    AttachmentQueries(Db db) {
        this.db = db;
    }

    /**
     * Returns the documents in their order, each once.
     *
     * @param names the names or ids; null for none
     * @throws Problem {@code not_found}, also for a caller that may not read documents
     */
    List<AttachedDocument> find(Call call, @Nullable List<String> names) {
        if (names == null) {
            return List.of();
        }
        if (names.isEmpty() || names.size() > MOST) {
            throw Problem.invalid(
                    "attach", "must name 1–%d documents, or be left out; it names %d".formatted(MOST, names.size()));
        }
        if (!Capability.DOCUMENT_READ.isIn(call.caller().capabilities())) {
            throw missing(names.getFirst());
        }
        var documents = db.sql(call, FIND)
                .set("ids", names.stream().map(AttachmentQueries::id).toList())
                .set(
                        "keys",
                        names.stream().map(name -> Name.key(Name.normal(name))).toList())
                .list(AttachmentQueries::read);
        var absent = IntStream.range(0, names.size())
                .filter(i -> documents.get(i).isEmpty())
                .findFirst();
        if (absent.isPresent()) {
            throw missing(names.get(absent.getAsInt()));
        }
        return documents.stream().flatMap(Optional::stream).distinct().toList();
    }

    private static Problem missing(String name) {
        return Problem.notFound("document", Name.shortened(name), List.of());
    }

    private static @Nullable String id(String name) {
        try {
            return name.length() == 36 ? UUID.fromString(name).toString() : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static Optional<AttachedDocument> read(Row row) throws SQLException {
        return row.textOrNull("id") == null
                ? Optional.empty()
                : Optional.of(new AttachedDocument(
                        UUID.fromString(row.text("id")),
                        new Attachment(
                                row.text("name"),
                                row.number("version"),
                                row.textOrNull("media_type"),
                                row.number("size"))));
    }
}
