package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stores where agents live that are not here, with the credentials for these addresses. */
public final class RemoteStore {
    /** The record of {@code r}. */
    private static final String RECORD = """
            jsonb_build_object('url', r.url, 'header', r.header, 'last_error', r.last_error, 'failing_since', r.failing_since,
                               'state', CASE WHEN r.failing_since IS NULL THEN 'ready' ELSE 'failing' END,
                               'waiting', (SELECT count(*) FROM remote_message q
                                            WHERE q.tenant_id = r.tenant_id AND q.agent_id = r.agent_id
                                              AND q.due_at IS NOT NULL AND q.sent_at IS NULL))
            """;

    /** A column {@code remote} of an agent {@code a}, for whoever may change it. */
    static final String COLUMN = SqlTemplate.of("""
            (SELECT {record} FROM agent_remote r
              WHERE r.tenant_id = a.tenant_id AND r.agent_id = a.id AND (a.owner_id = :user OR :admin)) AS remote
            """).with("record", RECORD).sql();

    /** What another server took belongs there: at a new address, nothing is known of it. */
    private static final String SET = SqlTemplate.of("""
            WITH elsewhere AS (
                DELETE FROM remote_message q
                 USING agent_remote r
                 WHERE q.tenant_id = :tenant AND q.agent_id = :agent AND q.sent_at IS NOT NULL
                   AND r.tenant_id = q.tenant_id AND r.agent_id = q.agent_id AND r.url <> :url),
            r AS (
                INSERT INTO agent_remote AS r (tenant_id, agent_id, url, header, secret, set_at)
                VALUES (:tenant, :agent, :url, :header, :secret, :now)
                ON CONFLICT (tenant_id, agent_id) DO UPDATE
                   SET url = excluded.url, header = excluded.header, secret = excluded.secret, set_at = excluded.set_at,
                       failures = 0, failing_since = NULL, open_until = NULL, last_error = NULL
                RETURNING *)
            SELECT {record} AS record FROM r
            """).with("record", RECORD).sql();

    private static final String END = "DELETE FROM agent_remote WHERE tenant_id = :tenant AND agent_id = :agent";

    private final Db db;
    private final Vault vault;
    private final Function<String, URI> addresses;

    /** @param addresses checks an address, and refuses what nothing may be sent to */
    public RemoteStore(Db db, Vault vault, Function<String, URI> addresses) {
        this.db = db;
        this.vault = vault;
        this.addresses = addresses;
    }

    /** Returns the context that the credential for an address is encrypted for. */
    public static String place(long tenant, String url) {
        return "agent_remote/%d/%s".formatted(tenant, url);
    }

    /**
     * Where an agent is to live.
     *
     * @param url null for here
     * @param sealed the encrypted credential
     */
    record Prepared(
            @Nullable String url,
            @Nullable String header,
            @Nullable String sealed) {}

    /** Checks and encrypts what is sent. */
    Optional<Prepared> prepared(@Nullable RemoteRequest request, Call call) {
        if (request == null) {
            return Optional.empty();
        }
        if (request.isHere()) {
            if (request.credential() != null) {
                throw Problem.invalid("remote.credential", "is not for an agent that lives here: leave it out");
            }
            return Optional.of(new Prepared(null, null, null));
        }
        var url = address(request.url());
        var header = request.header();
        var secret = request.secret();
        var sealed = secret == null
                ? null
                : vault.seal(place(call.caller().tenant(), url), secret.getBytes(StandardCharsets.UTF_8));
        return Optional.of(new Prepared(url, header, sealed));
    }

    private String address(String url) {
        try {
            return addresses.apply(url.strip()).toString();
        } catch (Problem refused) {
            throw Problem.invalid("remote.url", refused.note().replaceFirst("^url ", ""));
        }
    }

    /** Sets where an agent lives, and returns that; null for here. */
    @Nullable
    AgentRemote set(Call call, long agent, Prepared prepared) {
        if (prepared.url() == null) {
            db.sql(call, END).set("agent", agent).run();
            return null;
        }
        return db.sql(call, SET)
                .set("agent", agent)
                .set("url", prepared.url())
                .set("header", prepared.header())
                .set("secret", prepared.sealed())
                .one(row -> Objects.requireNonNull(row.json("record", AgentRemote.class)))
                .orElseThrow();
    }
}
