package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A channel inside a domain, with one stream of messages. */
@Titled
public record Zone(
        @Doc("The zone's name, unique in its domain without regard to case.")
        String name,

        @Doc("What the zone is for.") @Nullable String description,

        @Doc("true where the description is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole description has, where it is cut.") @Nullable
        Integer length,

        @Doc("When it was created.") Instant createdAt) {}
