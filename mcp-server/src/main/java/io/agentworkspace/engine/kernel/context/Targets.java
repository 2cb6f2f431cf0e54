package io.agentworkspace.engine.kernel.context;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** The targets of the contract's commands. Each has only the fields that its commands use. */
public final class Targets {
    public static final String USER = "Your user name or e-mail address; admins: whom to act for.";
    public static final String CONTEXT = "Context name.";

    private Targets() {}

    public record UserOnly(
            @Doc(value = USER, mayBeBlank = true) @Nullable UserHandle user,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record UserAgent(
            @Doc(value = USER, mayBeBlank = true) @Nullable UserHandle user,
            @Doc("The agent's name.") @Nullable Name agent,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record NewHost(
            @Doc(value = USER, mayBeBlank = true) @Nullable UserHandle user,

            @Doc(value = "The agent's name.", mayBeBlank = true) @Nullable
            Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    /** Whose key: a blank user would make it the caller's. */
    public record KeyOwner(
            @Doc(USER) @Nullable UserHandle user,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record AgentOnly(
            @Doc(value = "The agent's name.", mayBeBlank = true) @Nullable
            Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    /** A target that is never taken from the context. */
    public record ThisAgent(
            @Doc(USER) @Nullable UserHandle user,

            @Doc("The agent's name.") Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record ContextOnly(
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record DomainOnly(
            @Doc("The domain's name.") Name domain,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record DomainPrefix(
            @Doc("Start of the name.") @Nullable Name domain,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record EnteredDomainAgent(
            @Doc("Default: the entered one.") @Nullable Name domain,

            @Doc("Only this member.") @Nullable Name agent,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record DomainSelf(
            @Doc("The domain's name.") Name domain,

            @Doc("Default: self.") @Nullable Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record DomainHost(
            @Doc("The domain's name.") Name domain,

            @Doc("The host or your agent that acts.") @Nullable
            Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    /** A target that is never taken from the context. */
    public record NamedMember(
            @Doc("The domain's name.") Name domain,

            @Doc("The member, or your own agent.") Name agent,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record ZoneOnly(
            @Doc("Default: the entered one.") @Nullable Name domain,

            @Doc("The zone's name.") @Nullable Name zone,
            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record ZonePrefix(
            @Doc("Default: the entered one.") @Nullable Name domain,

            @Doc("Start of the name.") @Nullable Name zone,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    /** A target that is never taken from the context. */
    public record ThisZone(
            @Doc("The domain's name.") Name domain,

            @Doc("The zone's name.") Name zone,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    public record Chat(
            @Doc("The recipient of a direct message.") @Nullable
            Name agent,

            @Doc("Default: the entered one.") @Nullable Name domain,

            @Doc("Default: main.") @Nullable Name zone,

            @Doc(value = USER, mayBeBlank = true) @Nullable UserHandle user,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}

    /** Where messages come from. */
    public record Heard(
            @Doc("Only direct messages from this agent.") @Nullable
            Name agent,

            @Doc("Default: the entered one.") @Nullable Name domain,

            @Doc("Default: all of the domain.") @Nullable Name zone,

            @Doc(USER) @Nullable UserHandle user,

            @Doc(value = CONTEXT, max = 64) @Nullable String context) {}
}
