package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.skills.ShippedSkills;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillCard;
import io.agentworkspace.engine.skills.SkillFile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The skills that a caller may read: the built-in ones for everyone, and its tenant's own for a caller who may read
 * skills. If both have a name, it refers to the built-in one.
 */
public final class Library {
    private static final Map<String, Skill> SHIPPED = byName(ShippedSkills.read());
    private static final List<SkillCard> CARDS =
            SHIPPED.values().stream().map(Skill::card).toList();

    private final SkillQueries own;

    public Library(SkillQueries own) {
        this.own = own;
    }

    private static Map<String, Skill> byName(List<Skill> skills) {
        var byName = new LinkedHashMap<String, Skill>();
        skills.forEach(skill -> byName.put(skill.name(), skill));
        return byName;
    }

    /** Returns the built-in skills in the recommended reading order. */
    public static List<SkillCard> shipped() {
        return CARDS;
    }

    public static Optional<Skill> shipped(String name) {
        return Optional.ofNullable(SHIPPED.get(name));
    }

    /** Returns a built-in skill's card. */
    public static Optional<SkillCard> shippedCard(String name) {
        return CARDS.stream().filter(card -> card.name().equals(name)).findFirst();
    }

    /** Returns those of the given skills whose name no built-in one has. */
    static List<OwnSkill> visible(List<OwnSkill> own) {
        return own.stream()
                .filter(skill -> !SHIPPED.containsKey(skill.card().name()))
                .toList();
    }

    /** Returns the built-in skills first, then the tenant's own by name. Needs at most one statement. */
    public List<SkillCard> list(@Nullable Caller caller) {
        return caller == null || !maySeeOwn(caller)
                ? CARDS
                : Stream.concat(
                                CARDS.stream(),
                                visible(own.list(caller.tenant())).stream().map(OwnSkill::card))
                        .toList();
    }

    public Optional<SkillCard> find(@Nullable Caller caller, String name) {
        var shipped = shippedCard(name);
        return shipped.isPresent() || caller == null || !maySeeOwn(caller)
                ? shipped
                : own.find(caller.tenant(), name).map(OwnSkill::card);
    }

    /** Returns a skill with all of its content. */
    public Optional<Skill> read(@Nullable Caller caller, String name) {
        var shipped = shipped(name);
        return shipped.isPresent() || caller == null || !maySeeOwn(caller)
                ? shipped
                : Optional.of(own.read(caller.tenant(), name, null))
                        .filter(found -> found.own() != null)
                        .map(SkillQueries.SkillDetails::whole);
    }

    /** Returns one file of a skill. */
    public Optional<SkillFile> file(@Nullable Caller caller, String name, String path) {
        var shipped = shipped(name);
        var files = shipped.isPresent() || caller == null || !maySeeOwn(caller)
                ? shipped.map(Skill::files).orElse(List.of())
                : own.read(caller.tenant(), name, path).files();
        return files.stream().filter(file -> file.path().equals(path)).findFirst();
    }

    /** Returns the refusal for an unknown skill, with similar names. */
    Problem missing(@Nullable Caller caller, String name) {
        var names = list(caller).stream().map(SkillCard::name).toList();
        return Problem.notFound("skill", Name.shortened(name), Near.nearest(name, names, 3));
    }

    private static boolean maySeeOwn(Caller caller) {
        return caller.mayRead(Family.SKILL);
    }
}
