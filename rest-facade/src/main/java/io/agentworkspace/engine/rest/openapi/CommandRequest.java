package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All fields that a command request can have (contract, "Command request"; decisions, section 3). */
public record CommandRequest(
        @Doc("The command's name, e.g. AP_Add; case-sensitive. On an alias route the path fixes it.") @Nullable
        String service,

        @Doc("Selects what the command acts on.") @Nullable Target target,
        @Doc("Attributes to create or change.") @Nullable Attributes vx,

        @Doc(value = "Message or memory text.", max = Limits.CONTENT) @Nullable
        String content,

        @Doc(value = "Of AP_Chat: the id of the message that this answers.", max = 1_000) @Nullable
        String replyTo,

        @Doc("Of AP_Chat: true says it to the user whom your agent belongs to.") @Nullable
        Boolean toUser,

        @Doc("Of AP_Read: true reads your own messages, whatever agent is selected.") @Nullable
        Boolean inbox,

        @Doc("Of MB_Store: the ids of the memories that it was made from.") @Nullable
        List<String> derivedFrom,

        @Doc("Of MB_Store: append adds to the text of a named memory instead of replacing it.") @Nullable
        String mode,

        @Doc("Of MB_Store: the id of the memory that it takes the place of.") @Nullable
        String supersedes,

        @Doc("Of MB_Store: why it takes that place.") @Nullable
        String reason,

        @Doc("Of MB_Store: from then on it is left out of lists, search and MB_Load.") @Nullable
        Instant expiresAt,

        @Doc("Of MB_Store: true lets MB_Load take it before others.") @Nullable
        Boolean pinned,

        @Doc("Of MB_Read: only the memory with this id.") @Nullable
        String id,

        @Doc("Of MB_Read: the memories as they were at this time.") @Nullable
        Instant asOf,

        @Doc("Of MB_Search: only memories that changed then or later.") @Nullable
        Instant since,

        @Doc("Of MB_Search: only memories that changed then or earlier.") @Nullable
        Instant until,

        @Doc(value = "Of MB_Search: how much text the answer may carry.", min = 100, max = 8_000) @Nullable
        Integer maxTokens,

        @Doc("Of MB_Restore: the revision whose text the memory is to have again.") @Nullable
        Long revision,

        @Doc("Of MB_Censor: true only reports what would be hidden.") @Nullable
        Boolean dryRun,

        @Doc("Of AP_Modify: true returns what changes replaced, and changes nothing.") @Nullable
        Boolean revisions,

        @Doc("Change it only if this is still its revision.") @Nullable
        Long ifRevision,

        @Doc("Which part of a long list.") @Nullable Page page,

        @Doc(
                value = "Your own token for this request, kept 24 h: sent again with the same request it replays"
                        + " the stored answer. The header Idempotency-Key does the same.",
                max = 255)
        @Nullable
        String idempotencyKey) {

    /** The schema of these fields, used to check the JSON types of each command request. */
    public static final Schema SCHEMA = Schema.ofInput(CommandRequest.class, false);

    record Target(
            @Doc("The logged-in user identity: your own name or e-mail address, or for admins another user's.")
            @Nullable
            UserHandle user,

            @Doc("Agent name.") @Nullable Name agent,
            @Doc("Domain name.") @Nullable Name domain,
            @Doc("Memory bank name.") @Nullable Name bank,
            @Doc("Zone name.") @Nullable Name zone,

            @Doc(value = "Which of your contexts; each name is a separate one. Default: default.", max = Name.MAX)
            @Nullable
            String context) {}

    record Attributes(
            @Doc(value = "The thing's name.", max = MemoryName.MAX) @Nullable
            String name,

            @Doc(value = "What it is for.", max = Limits.DESCRIPTION) @Nullable
            String description,

            @Doc(value = "Its persona or working instructions.", max = Limits.PROFILE) @Nullable
            String profile,

            @Doc("Who may see or use it.") @Nullable String access,
            @Doc("Words to find a memory by.") @Nullable List<String> tags) {}

    record Page(
            @Doc(value = "How many entries; 50 when absent.", min = 1, max = Limits.PAGE) @Nullable
            Integer limit,

            @Doc("next_cursor of the page before.") @Nullable
            String cursor) {}
}
