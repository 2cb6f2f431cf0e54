package io.agentworkspace.engine.memory.banks.corrections;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads the beginnings of texts that are about to be replaced. */
final class ReplacedTextQueries {
    private static final int CHARACTERS = 8_000;

    private static final String TEXTS = SqlTemplate.of("""
        SELECT left(m.text, :characters) AS text
          FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
         WHERE b.tenant_id = :tenant AND b.id = :bank AND m.id = ANY(CAST(:ids AS uuid[])) AND {readable}
         ORDER BY m.id
        """)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    private static final String NAMED = SqlTemplate.of("""
        SELECT left(m.text, :characters) AS text
          FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
         WHERE b.tenant_id = :tenant AND b.id = :bank AND m.name_key = :key AND {readable}
        """)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    private final Db db;

    ReplacedTextQueries(Db db) {
        this.db = db;
    }

    /** @param bank one that the caller may read */
    List<String> texts(Call call, long bank, List<UUID> ids) {
        return db.sql(call, TEXTS)
                .set("bank", bank)
                .set("ids", ids)
                .set("characters", CHARACTERS)
                .list(row -> row.text("text"));
    }

    /** Returns the text to which another is appended. */
    Optional<String> named(Call call, long bank, MemoryName name) {
        return db.sql(call, NAMED)
                .set("bank", bank)
                .set("key", name.key())
                .set("characters", CHARACTERS)
                .one(row -> row.text("text"));
    }
}
