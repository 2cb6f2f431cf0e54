package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.skills.SkillCard;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A skill as shown in lists. */
record SkillRecord(
        @Doc("Its name.") String name,

        @Doc("Its first heading, else its name.") String title,

        @Doc("What it does, and when to use it.") String description,

        @Doc("true where the description is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole description has, where it is cut.") @Nullable
        Integer length,

        @Doc("shipped: included in the engine; own: added by your tenant.")
        String origin,

        @Doc("SHA-256 of its archive, as sha256:<hex>.") String digest,

        @Doc("Its licence.") @Nullable String license,

        @Doc("What it requires of its environment.") @Nullable
        String compatibility,

        @Doc("How many files it has.") int fileCount,

        @Doc("Their total size in bytes.") long size,

        @Doc("The tools that it uses, of this engine and of others.")
        List<String> tools,

        @Doc("Of your tenant's own: increases with each replacement.") @Nullable
        Long revision,

        @Doc("Of your tenant's own: when it was added or last replaced.") @Nullable
        Instant updatedAt) {

    static SkillRecord shipped(SkillCard card, List<Tool<?, ?>> all) {
        return of(card, "shipped", null, null, all);
    }

    static SkillRecord own(OwnSkill own, List<Tool<?, ?>> all) {
        return of(own.card(), "own", own.revision(), own.updatedAt(), all);
    }

    private static SkillRecord of(
            SkillCard card, String origin, @Nullable Long revision, @Nullable Instant updatedAt, List<Tool<?, ?>> all) {
        return new SkillRecord(
                card.name(),
                card.title(),
                card.description(),
                null,
                null,
                origin,
                card.digest(),
                card.text("license").orElse(null),
                card.text("compatibility").orElse(null),
                card.files().size(),
                card.size(),
                used(card, all),
                revision,
                updatedAt);
    }

    /** Returns the tools that its author allows, and other tools of this service that it mentions. */
    private static List<String> used(SkillCard card, List<Tool<?, ?>> all) {
        var names = all.stream().map(Tool::name).toList();
        return Stream.concat(
                        card.allowedTools().stream(), card.mentions().stream().filter(names::contains))
                .distinct()
                .toList();
    }
}
