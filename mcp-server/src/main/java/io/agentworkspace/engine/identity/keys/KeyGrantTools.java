package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.identity.keys.KeyTools.KeyResponse;
import io.agentworkspace.engine.identity.keys.KeyTools.SecretResponse;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.UserAccess;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfAgent;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The tools for the permissions of API keys: AK_Create, AK_Update. Callers cannot grant more than they have. */
final class KeyGrantTools {
    /** The default lifetime of a child key. */
    private static final Duration CHILDHOOD = Duration.ofHours(24);

    static final String CAPABILITIES = "What it may do: agent:read, agent:write, and the same for domain, bank, zone,"
            + " user, key, webhook, skill, account, document, rule, task, upstream; upstream:<server>;"
            + " * for all. At most what your key may.";
    static final String TOOLSET =
            "Limits it to families (agent, domain, zone, bank, user, key, webhook, skill, document, rule, task, upstream, account), servers or"
                    + " readonly; default, work, all and discovery limit only tools/list.";
    static final String CONFIRM = "Ask the person at an MCP client before a destructive tool runs.";

    private final SecureRandom random = new SecureRandom();
    private final KeyChangeStore keys;
    private final BiFunction<Call, Name, ? extends BindableAgent> agents;
    private final KeyLimitTexts words;

    /** @param agents finds an agent by its name, and protects it from being destroyed until the transaction ends */
    public KeyGrantTools(
            KeyChangeStore keys, BiFunction<Call, Name, ? extends BindableAgent> agents, KeyLimitTexts words) {
        this.keys = keys;
        this.agents = agents;
        this.words = words;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(create(), update());
    }

    record CreateRequest(
            @Doc("Whose key. Default: your user's.") Targets.@Nullable KeyOwner target,

            @Doc(value = "What the key is for.", max = 100) String name,

            @Doc(value = CAPABILITIES, max = 50) List<String> capabilities,

            @Doc(value = "Where it is used: production, staging, …", max = 40, mayBeBlank = true) @Nullable
            String environment,

            @Doc("The only agent that it may act as.") @Nullable
            Name agent,

            @Doc(value = TOOLSET, max = 20) @Nullable List<String> toolset,

            @Doc(CONFIRM) @Nullable Boolean confirmDestructive,

            @Doc("When it ends. Default: when your key ends; child: after 24 hours.") @Nullable
            Instant expiresAt,

            @Doc(value = "Instead of expires_at.", min = 1, max = 315_360_000) @Nullable
            Long expiresInSeconds,

            @Doc(
                    value =
                            "Your own key's id makes it a child, which ends with your key. A key bound to an agent, or a child,"
                                    + " creates only children.",
                    max = 64)
            @Nullable
            String parent) {}

    private Tool<CreateRequest, SecretResponse> create() {
        return Tool.named("AK_Create")
                .title("Create an API key")
                .description("""
                        Creates an API key and shows it this once. With parent it is a child of your key, for a \
                        sub-agent.""")
                .details("""
                        Give each program its own key, with the capabilities that it needs. A key cannot have more than \
                        the key that creates it. A child ends when its parent ends. AK_Update changes a key, AK_Rotate \
                        gives it a new secret, AK_Revoke stops it.""")
                .alsoCalled(
                        "a credential for a program",
                        "give a script access",
                        "a key for a service",
                        "machine login",
                        "new token",
                        "generate credentials",
                        "api token for a script",
                        "access for a program",
                        "key for a sub-agent")
                .needs(Capability.KEY_WRITE)
                .on(Requirement.OfCredential.CURRENT, Requirement.OfUser.KEY_OF, Requirement.OfAgent.BIND)
                .effect(Effect.CREATES)
                .route("POST", "/api/keys")
                .handledBy(CreateRequest.class, SecretResponse.class, this::make);
    }

    private SecretResponse make(CreateRequest in, Call call) {
        checkName(in.name());
        var agent = agent(in, call);
        AccessCheck.require(AccessCheck.ofCredential(call));
        var parent = parent(in, call);
        var room = keys.makeRoom(call, parent);
        var powers = room.powers().get();
        var grant = new Grant(
                KeyLimitTexts.capabilities(in.capabilities()),
                in.toolset() == null ? powers.toolset() : words.toolset(in.toolset(), call.caller()),
                in.confirmDestructive() == null ? powers.confirmDestructive() : in.confirmDestructive(),
                end(in, call, powers, parent != null),
                null);
        AccessCheck.require(UserAccess.missing(call, call.context().user().id(), room.role()));
        AccessCheck.require(KeyAccess.ofPowers(grant, powers));
        var draft = new KeyChangeStore.KeyDraft(in.name().strip(), in.environment(), grant, agent, parent);
        var key = ApiKey.generate(random);
        return new SecretResponse(keys.insert(call, key, draft), key.reveal());
    }

    /** Refuses a name that contains a key: pasted by mistake, it would stay in lists and in the audit. */
    private static void checkName(@Nullable String name) {
        if (name != null && KeyFormat.isIn(name)) {
            throw Problem.invalid("name", "must not contain an API key: describe the key's purpose in words");
        }
    }

    private static @Nullable String parent(CreateRequest in, Call call) {
        var caller = call.caller();
        var own = caller.credential().key();
        if (in.parent() != null && !in.parent().equals(own)) {
            throw Problem.invalid(
                    "parent",
                    own == null
                            ? "requires an API key, and you use none: leave it out"
                            : "must be the id of the key that you call with, '%s', or be left out".formatted(own));
        }
        var parent = caller.isConfined() ? own : in.parent();
        if (parent != null && call.context().user().id() != caller.user()) {
            throw Problem.invalid("target.user", "must be left out: a child is of the same user as its parent");
        }
        return parent;
    }

    private static @Nullable Instant end(CreateRequest in, Call call, Grant powers, boolean child) {
        var end = end(in.expiresAt(), in.expiresInSeconds(), call);
        if (end != null || !child) {
            return end == null ? powers.expiresAt() : end;
        }
        var grown = call.now().plus(CHILDHOOD);
        return powers.expiresAt() != null && powers.expiresAt().isBefore(grown) ? powers.expiresAt() : grown;
    }

    private static @Nullable Instant end(@Nullable Instant at, @Nullable Long seconds, Call call) {
        if (at != null && seconds != null) {
            throw Problem.invalid("expires_in_seconds", "cannot be combined with expires_at: send one of them");
        }
        if (at != null && !at.isAfter(call.now())) {
            throw Problem.invalid("expires_at", "must be in the future; it is now %s".formatted(call.now()));
        }
        return seconds == null ? at : call.now().plusSeconds(seconds);
    }

    private @Nullable Long agent(CreateRequest in, Call call) {
        if (in.agent() == null) {
            call.checked(OfAgent.BIND); // The new key is bound to the caller's own agent, or to none.
            return call.caller().boundAgent();
        }
        var agent = agents.apply(call, in.agent());
        AccessCheck.require(agent.missing(call));
        return agent.id();
    }

    record UpdateRequest(
            @Doc(value = KeyTools.ID, max = 64) String id,

            @Doc(value = "What the key is for.", max = 100, mayBeBlank = true) @Nullable
            String name,

            @Doc(value = "Where it is used: production, staging, …", max = 40, mayBeBlank = true) @Nullable
            String environment,

            @Doc(value = CAPABILITIES, max = 50) @Nullable List<String> capabilities,

            @Doc(value = TOOLSET, max = 20) @Nullable List<String> toolset,

            @Doc(
                    "Binds a key that is bound to no agent: the only agent that it may act as from now on. An agent of the key's user.")
            @Nullable
            Name agent,

            @Doc(CONFIRM) @Nullable Boolean confirmDestructive,
            @Doc("When it ends.") @Nullable Instant expiresAt,

            @Doc(value = "Instead of expires_at.", min = 1, max = 315_360_000) @Nullable
            Long expiresInSeconds,

            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    private Tool<UpdateRequest, KeyResponse> update() {
        return Tool.named("AK_Update")
                .title("Change an API key")
                .description("Changes only the fields of an API key that you give.")
                .details("""
                        It takes effect on every replica within a second. You can always narrow a key. To widen or prolong it, \
                        your own key must have all that it would then have. agent binds a key that is bound to none. The user and the parent stay.""")
                .alsoCalled(
                        "limit the rights of a key",
                        "change when a token expires",
                        "rename a credential",
                        "reduce permissions",
                        "restrict a token",
                        "extend expiry",
                        "limit a key",
                        "bind a key to one agent",
                        "read-only key",
                        "narrow scopes")
                .needs(Capability.KEY_WRITE)
                .on(Requirement.OfCredential.CURRENT, Requirement.OfKey.CHANGE)
                .effect(Effect.CHANGES)
                .route("PATCH", "/api/keys/{id}")
                .example("name", "nightly report")
                .handledBy(UpdateRequest.class, KeyResponse.class, this::change);
    }

    private KeyResponse change(UpdateRequest in, Call call) {
        checkName(in.name());
        var locked = keys.lock(call, in.id());
        var before = locked.key();
        AccessCheck.require(AccessCheck.ofCredential(call));
        IfRevision.check(in.ifRevision(), before.revision());
        AccessCheck.require(KeyAccess.missing(call, before, locked.powers()));
        var change = new KeyChangeStore.KeyChange(
                in.name() == null ? null : in.name().strip(),
                in.environment(),
                in.capabilities() == null ? null : KeyLimitTexts.capabilities(in.capabilities()),
                in.toolset() == null ? null : words.toolset(in.toolset(), call.caller()),
                in.confirmDestructive(),
                end(in.expiresAt(), in.expiresInSeconds(), call),
                in.agent() == null ? null : keys.bindable(call, before, agents.apply(call, in.agent())));
        checkMayGive(call, locked, change);
        var key = keys.update(call, before, change);
        return new KeyResponse(key, key.revision(), key.revision() != before.revision());
    }

    private void checkMayGive(Call call, KeyChangeStore.KeyAndGrant locked, KeyChangeStore.KeyChange change) {
        var key = locked.key();
        var had = key.grant();
        var grant = new Grant(
                change.capabilities() == null ? had.capabilities() : change.capabilities(),
                change.toolset() == null ? had.toolset() : change.toolset(),
                change.confirmDestructive() == null ? had.confirmDestructive() : change.confirmDestructive(),
                change.expiresAt() == null ? had.expiresAt() : change.expiresAt(),
                null);
        var powers = locked.powers().get();
        // The key's previous permissions count only if nothing is added: parts of two grants would form one that
        // nobody had.
        if (grant.excess(had).isPresent()) {
            AccessCheck.require(KeyAccess.ofPowers(grant, powers));
        }
        var withFormerConfirmation =
                new Grant(grant.capabilities(), grant.toolset(), had.confirmDestructive(), grant.expiresAt(), null);
        if (key.role() == Role.OWNER
                && (change.agent() != null || had.excess(withFormerConfirmation).isPresent())) {
            keys.keepOwners(call, key);
        }
        if (key.above() != null) {
            grant.excess(key.above()).ifPresent(excess -> {
                throw Problem.conflict("a child never has more than its parent, and its parent " + excess);
            });
        }
    }
}
