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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stores where agents live that are not here, with the credentials for these addresses. */
public final class RemoteStore {
    /** The record of {@code r}. */
    private static final String RECORD = """
            jsonb_build_object('url', r.url, 'header', r.header, 'last_error', r.last_error, 'failing_since', r.failing_since,
                               'state', CASE WHEN r.failing_since IS NULL THEN 'ready' ELSE 'failing' END,
                               'waiting', (SELECT count(*) FROM remote_message q
                                            WHERE q.tenant_id = :tenant AND q.agent_id = r.agent_id
                                              AND q.due_at IS NOT NULL AND q.sent_at IS NULL))
            """;

    /** A column {@code remote} of an agent {@code a}, for whoever may change it. */
    static final String COLUMN = SqlTemplate.of("""
            (SELECT {record} FROM agent_remote r
              WHERE r.tenant_id = :tenant AND r.agent_id = a.id AND (a.owner_id = :user OR :admin)) AS remote
            """).with("record", RECORD).sql();

    /** What another server took belongs there: at a new address, nothing is known of it. */
    private static final String SET = SqlTemplate.of("""
            WITH elsewhere AS (
                DELETE FROM remote_message q
                 USING agent_remote r
                 WHERE q.tenant_id = :tenant AND q.agent_id = :agent AND q.sent_at IS NOT NULL
                   AND r.tenant_id = :tenant AND r.agent_id = q.agent_id AND r.url <> :url),
            r AS (
                INSERT INTO agent_remote AS r (tenant_id, agent_id, url, header, secret, set_at, internal)
                VALUES (:tenant, :agent, :url, :header, :secret, :now, :internal)
                ON CONFLICT (tenant_id, agent_id) DO UPDATE
                   SET url = excluded.url, header = excluded.header, secret = excluded.secret, set_at = excluded.set_at, internal = excluded.internal,
                       failures = 0, failing_since = NULL, open_until = NULL, last_error = NULL
                RETURNING *)
            SELECT {record} AS record,
                   CAST(:secret AS text) IS NOT NULL
                   OR NOT EXISTS (SELECT 1 FROM agent_remote o
                                   WHERE o.tenant_id = :tenant AND o.agent_id = :agent AND o.url = :url AND o.secret IS NULL) AS changed
              FROM r
            """).with("record", RECORD).sql();

    /**
     * What the protocol allows by which agents elsewhere are reached.
     *
     * @param headers the names, in lower case, of those that its requests have by themselves
     */
    public record Rules(Addresses addresses, Set<String> headers) {}

    /** Checks addresses. */
    @FunctionalInterface
    public interface Addresses {
        /**
         * Returns an address, or refuses what nothing may be sent to.
         *
         * @param internal whether it may be in a private network that the operator allowed
         */
        URI parse(String url, boolean internal);
    }

    private static final String END = "DELETE FROM agent_remote WHERE tenant_id = :tenant AND agent_id = :agent";

    private final Db db;
    private final Vault vault;
    private final Rules rules;

    public RemoteStore(Db db, Vault vault, Rules rules) {
        this.db = db;
        this.vault = vault;
        this.rules = rules;
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
        if (call.caller().isConfined()) {
            throw Problem.notPermitted(
                    "remote must be left out: where an agent lives, its owner says, with a key that is bound to no agent and is no other key's child");
        }
        if (request.isHere()) {
            if (request.credential() != null) {
                throw Problem.invalid("remote.credential", "is not for an agent that lives here: leave it out");
            }
            return Optional.of(new Prepared(null, null, null));
        }
        if (request.url().indexOf('?') >= 0) {
            throw Problem.invalid("remote.url", "must have no query: put what is secret into remote.credential");
        }
        var url = address(request.url(), call.caller().isAdmin());
        var header = request.header(rules.headers());
        var secret = request.secret();
        var sealed = secret == null
                ? null
                : vault.seal(place(call.caller().tenant(), url), secret.getBytes(StandardCharsets.UTF_8));
        return Optional.of(new Prepared(url, header, sealed));
    }

    private String address(String url, boolean internal) {
        try {
            return rules.addresses().parse(url.strip(), internal).toString();
        } catch (Problem refused) {
            throw Problem.invalid("remote.url", refused.note().replaceFirst("^url ", ""));
        }
    }

    /**
     * Where an agent lives now.
     *
     * @param remote null for here
     */
    record Moved(@Nullable AgentRemote remote, boolean isChanged) {
        /** Returns that for the audit, without a path, which may be secret. */
        String words() {
            return remote == null
                    ? "lives here"
                    : "lives at " + URI.create(remote.url()).getAuthority();
        }
    }

    /** Sets where an agent lives. */
    Moved set(Call call, long agent, Prepared prepared) {
        if (prepared.url() == null) {
            return new Moved(null, db.sql(call, END).set("agent", agent).run() > 0);
        }
        return db.sql(call, SET)
                .set("agent", agent)
                .set("url", prepared.url())
                .set("header", prepared.header())
                .set("secret", prepared.sealed())
                .set("internal", call.caller().isAdmin())
                .one(row ->
                        new Moved(Objects.requireNonNull(row.json("record", AgentRemote.class)), row.flag("changed")))
                .orElseThrow();
    }
}
