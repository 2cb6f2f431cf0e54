package io.agentworkspace.engine.memory.documents.load;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads the newest accepted version of a document for loading, outside of a transaction. */
public final class LoadQueries {
    private final Db db;

    public LoadQueries(Db db) {
        this.db = db;
    }

    /** A document that can be loaded. */
    public record Source(UUID id, String name, long version, List<Piece> pieces) {
        /** Returns the key, which is the same for all versions. */
        public String key() {
            return Name.key(name);
        }
    }

    private record Version(UUID id, String name, long version, String state, long parts) {}

    /** @throws Problem {@code not_found}, or {@code conflict} if no version is accepted */
    public Source read(Call call, String name) {
        var found = find(call, name);
        var blocks = new ArrayList<Block>();
        for (var n = 0; n < found.parts(); n++) {
            blocks.addAll(Json.readList(part(call, found.id(), n), Block.class));
            call.progress().report(n + 1, found.parts() + 1.0, "reading '%s'".formatted(found.name()));
        }
        var pieces = Splitter.split(blocks);
        call.progress().report(found.parts() + 1.0, found.parts() + 1.0, "loading %d pieces".formatted(pieces.size()));
        return new Source(found.id(), found.name(), found.version(), pieces);
    }

    private Version find(Call call, String name) {
        var found = db.sql(call, """
                SELECT d.id, d.name, d.version, d.state,
                       (SELECT count(*) FROM document_part p WHERE p.tenant_id = :tenant AND p.document_id = d.id) AS parts
                  FROM document d
                 WHERE d.tenant_id = :tenant AND d.name_key = :key
                 ORDER BY d.state = 'accepted' DESC, d.version DESC
                 LIMIT 1
                """)
                .set("key", Name.key(Name.normal(name)))
                .one(row -> row.as(Version.class))
                .orElseThrow(() -> Problem.notFound("document", Name.shortened(name), near(call, name)));
        if (!found.state().equals("accepted")) {
            throw Problem.conflict("no version of '%s' is accepted: version %d is %s; %s"
                    .formatted(
                            found.name(),
                            found.version(),
                            found.state(),
                            found.state().equals("rejected")
                                    ? "DC_Read has the reasons"
                                    : "load it when DC_Read shows that it is accepted"));
        }
        return found;
    }

    private List<String> near(Call call, String name) {
        var names = db.sql(call, """
                SELECT DISTINCT d.name FROM document d WHERE d.tenant_id = :tenant ORDER BY d.name LIMIT 2000
                """).list(row -> row.text("name"));
        return Near.nearest(name, names, 2);
    }

    private String part(Call call, UUID document, int n) {
        return db.sql(call, """
                SELECT p.blocks FROM document_part p
                 WHERE p.tenant_id = :tenant AND p.document_id = :id AND p.n = :n
                """)
                .set("id", document)
                .set("n", n)
                .one(row -> row.text("blocks"))
                .orElseThrow(() -> Problem.conflict("the document changed at the same time; send the request again"));
    }
}
