package io.agentworkspace.engine.context;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** The targets of the contract's commands: each lists just the fields that its commands use. */
public final class Targets {
    public static final String USER = "Your user name or e-mail address; an admin may name whom to act for.";
    public static final String CONTEXT =
            "A separate context of your key, under a name that you choose (default: 'default').";

    private Targets() {}

    public record UserOnly(
            @Doc(USER) @Nullable UserHandle user,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record UserAgent(
            @Doc(USER) @Nullable UserHandle user,
            @Doc("The agent's name.") @Nullable Name agent,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record AgentOnly(
            @Doc("The agent's name.") @Nullable Name agent,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    /** For targets that are never taken from the context. */
    public record ThisAgent(
            @Doc(USER) @Nullable UserHandle user,

            @Doc("The agent's name; always needed, never taken from the context.")
            Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record ContextOnly(
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record Domain(
            @Doc("The domain's name.") Name domain,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record DomainPrefix(
            @Doc("How the domains' names start; all when left out.") @Nullable
            Name domain,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record EnteredDomainAgent(
            @Doc("The domain's name; the entered one when left out.") @Nullable
            Name domain,

            @Doc("Shows just this member.") @Nullable Name agent,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record DomainSelf(
            @Doc("The domain's name.") Name domain,

            @Doc("The agent's name; the one you are logged on as when left out.") @Nullable
            Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record DomainHost(
            @Doc("The domain's name; always needed, never taken from the context.")
            Name domain,

            @Doc("For whom you act: the domain's host or an agent of yours; it does not limit what is destroyed.")
            @Nullable
            Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record ThisMember(
            @Doc("The domain's name; always needed, never taken from the context.")
            Name domain,

            @Doc("The agent's name; the one you are logged on as when left out.") @Nullable
            Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record Zone(
            @Doc("The domain's name; the entered one when left out.") @Nullable
            Name domain,

            @Doc("The zone's name.") @Nullable Name zone,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record ZonePrefix(
            @Doc("The domain's name; the entered one when left out.") @Nullable
            Name domain,

            @Doc("How the zones' names start; all when left out.") @Nullable
            Name zone,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    /** For targets that are never taken from the context. */
    public record ThisZone(
            @Doc("The domain's name; always needed, never taken from the context.")
            Name domain,

            @Doc("The zone's name; always needed, never taken from the context.")
            Name zone,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record Chat(
            @Doc("Whom to address directly.") @Nullable Name agent,

            @Doc("The domain of the zone to speak in; the entered one when left out.") @Nullable
            Name domain,

            @Doc("The zone to speak in; 'main' when only a domain is given.") @Nullable
            Name zone,

            @Doc(USER) @Nullable UserHandle user,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}
}
