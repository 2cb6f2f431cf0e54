package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A named, shared collection of memories, as shown to those who may see it. */
@Titled
public record Bank(
        @Doc("The bank's name, unique in the tenant without regard to case.")
        String name,

        @Doc("What it is for.") @Nullable String description,

        @Doc("true where the description is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole description has, where it is cut.") @Nullable
        Integer length,

        @Doc("Who may see it besides its owner, the admins and the holders of a permission.")
        Access access,

        @Doc("The user who created it.") String owner,

        @Doc(
                value = "censored while its whole content is hidden.",
                oneOf = {"active", "censored"})
        String state,

        @Doc("How many memories can be read in it; 1001: it has more than 1000.")
        long memories,

        @Doc("Increases with each change of this record; send it as if_revision to change only what you have read.")
        long revision,

        @Doc("When it was created.") Instant createdAt,
        @Doc("When this record was last changed.") Instant updatedAt) {}
