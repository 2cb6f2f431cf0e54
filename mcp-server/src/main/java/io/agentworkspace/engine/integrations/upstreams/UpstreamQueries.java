package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;

/** Reads upstream servers for the tools about them. */
final class UpstreamQueries {
    private static final String LIST =
            SqlTemplate.of("""
            SELECT (SELECT jsonb_agg({upstream_json} ORDER BY u.name) FROM upstream u WHERE u.tenant_id = :tenant) AS rows
            """).with("upstream_json", UpstreamRow.JSON).sql();

    private static final String READ = SqlTemplate.of("""
            SELECT (SELECT {upstream_json} || {offers_json} FROM upstream u WHERE u.tenant_id = :tenant AND u.name = :name) AS record,
                   (SELECT array_agg(u.name ORDER BY u.name) FROM upstream u WHERE u.tenant_id = :tenant) AS names
            """)
            .with("upstream_json", UpstreamRow.JSON)
            .with("offers_json", UpstreamRow.OFFERS)
            .sql();

    private final Db db;

    UpstreamQueries(Db db) {
        this.db = db;
    }

    /** Returns the tenant's servers, by name. */
    List<UpstreamRow> list(Call call) {
        return db.sql(call, LIST)
                .one(row -> row.jsonList("rows", UpstreamRow.class))
                .orElseThrow();
    }

    /** @throws Problem {@code not_found} */
    UpstreamRow read(Call call, String name) {
        return db.sql(call, READ)
                .set("name", name)
                .one(row -> {
                    var names = row.textsOrNull("names");
                    return Optional.ofNullable(row.json("record", UpstreamRow.class))
                            .orElseThrow(() -> missing(name, names == null ? List.of() : names));
                })
                .orElseThrow();
    }

    static Problem missing(String name, List<String> names) {
        return Problem.notFound("upstream", Name.shortened(name), Near.nearest(name, names, 1));
    }
}
