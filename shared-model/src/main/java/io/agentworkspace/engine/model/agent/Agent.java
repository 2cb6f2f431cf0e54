package io.agentworkspace.engine.model.agent;

import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A named worker, as shown to those who may see it. */
public record Agent(
        @Doc("The agent's name, unique in the tenant without regard to case.")
        String name,

        @Doc("The agent that it is a sub-agent of, and ends with.") @Nullable
        String parent,

        @Doc("What it is for.") String description,

        @Doc("true where the description is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole description has, where it is cut.") @Nullable
        Integer length,

        @Doc("Its persona, used as a system prompt; only AP_Read shows it.") @Nullable
        String profile,

        @Doc("Elsewhere, how many characters its persona has.") @Nullable
        Integer profileLength,

        @Doc("Who may see it besides its owner and the admins.")
        Access access,

        @Doc("The user who created it.") String owner,
        @Doc("Whether somebody is logged on as it.") boolean online,

        @Doc("true: what is said to it directly is sent to another server by A2A.") @Nullable
        Boolean elsewhere,

        @Doc("Increases with each change; send it as if_revision to change only what you have read.")
        long revision,

        @Doc("The skills that are installed on it, by name.")
        List<String> skills,

        @Doc("When it was created.") Instant createdAt,
        @Doc("When it was last changed.") Instant updatedAt) {}
