package io.agentworkspace.engine.kernel.context;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A read in one round trip: the context, and then small statements that return plain columns. They begin with {@link
 * #ACTOR} or {@link #ACTOR_WITH_SELF}, because the first statement's row is not known to them. Each sees what was committed
 * when it began, so rows that belong together carry the id by which they are recognized.
 */
public final class ContextQueries {
    private static final String USER = """
            CASE WHEN CAST(:acting AS text) IS NULL THEN CAST(:caller AS bigint)
                 WHEN strpos(:acting, '@') > 0 THEN (SELECT f.id FROM user_of_email(:tenant, :acting) f (id)
                                                      WHERE :for_others OR f.id = :caller)
                 ELSE (SELECT x.id FROM app_user x
                        WHERE x.tenant_id = :tenant AND x.name_key = :acting AND x.removed_at IS NULL) END
            """;

    /** The beginning of such a statement: CTE {@code ctx} with the acting user's {@code user_id}. */
    public static final String ACTOR = "WITH ctx AS NOT MATERIALIZED (SELECT " + USER + " AS user_id)\n";

    /**
     * The same with {@code self_id}, the agent that the caller is logged on as. Without a row if the credential is bound to an
     * agent that is gone: it must not act as its user.
     */
    public static final String ACTOR_WITH_SELF =
            SqlTemplate.of("""
            WITH who AS NOT MATERIALIZED (SELECT {user} AS user_id),
            ctx AS MATERIALIZED (
                SELECT who.user_id, s.id AS self_id
                  FROM who
                  LEFT JOIN agent s
                         ON s.tenant_id = :tenant AND s.destroyed_at IS NULL AND (s.owner_id = who.user_id OR :admin)
                        AND s.id = COALESCE(CAST(:bound AS bigint),
                                            (SELECT c.self_id FROM context c
                                              WHERE c.tenant_id = :tenant AND c.principal = :principal
                                                AND c.name = :context))
                 WHERE CAST(:bound AS bigint) IS NULL OR s.id IS NOT NULL)
            """).with("user", USER).sql();

    private final String unselected;
    private final String any;

    private ContextQueries(String unselected, String any) {
        this.unselected = unselected;
        this.any = any;
    }

    /** Composed once, at class load. */
    public static ContextQueries of(String... statements) {
        var then = ";\n" + String.join(";\n", statements);
        return new ContextQueries(
                UnselectedContextQueries.SELECT + then, ContextStore.WITH_CONTEXT + "SELECT ctx.* FROM ctx" + then);
    }

    /**
     * Reads the context into the call, with the smaller statement where that probably suffices, and then the rest.
     *
     * @param bind sets the parameters of the statements
     */
    public <T> T run(
            Db db,
            UnselectedContextQueries direct,
            Call call,
            UnaryOperator<Statement> bind,
            Statement.ResultsReader<T> reader) {
        if (direct.has(call)) {
            var read = bind.apply(db.sql(call, unselected)).all(results -> unselected(direct, call, results, reader));
            if (read.isPresent()) {
                return read.get();
            }
        }
        return bind.apply(db.sql(call, any)).all(results -> {
            results.next(row -> direct.learned(call, row));
            return reader.read(results);
        });
    }

    private static <T> Optional<T> unselected(
            UnselectedContextQueries direct, Call call, Statement.Results results, Statement.ResultsReader<T> reader)
            throws SQLException {
        return results.next(row -> direct.read(call, row)).orElse(false)
                ? Optional.of(reader.read(results))
                : Optional.empty();
    }
}
