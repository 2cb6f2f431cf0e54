package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillArchive;
import io.agentworkspace.engine.skills.SkillCard;
import io.agentworkspace.engine.workspace.agents.AgentAccess;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tools that change skills: SK_Install and SK_Uninstall on agents; SK_Add and SK_Remove for a tenant's own. */
final class SkillCareTools {
    /** The maximum number of a tenant's own skills. */
    static final long MOST_OWN = 100;

    /** The maximum size of all of a tenant's own skills, in bytes. */
    static final long MOST_BYTES = 20L * 1024 * 1024;

    /** The maximum number of skills on an agent. */
    static final long MOST_INSTALLED = 50;

    /** The length of the largest zip in base64. */
    static final long MOST_CHARACTERS = (SkillArchive.MAX_BYTES + 2) / 3 * 4;

    static final String AGENT = "Default: self.";

    private final Library library;
    private final SkillStore skills;
    private final AgentStore agents;
    private final List<Tool<?, ?>> all;

    /** @param all all tools; may be filled later */
    public SkillCareTools(Library library, SkillStore skills, AgentStore agents, List<Tool<?, ?>> all) {
        this.library = library;
        this.skills = skills;
        this.agents = agents;
        this.all = all;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(install(), uninstall(), add(), remove());
    }

    record InstallRequest(
            @Doc(value = SkillTools.NAME, max = 64) String name,
            @Doc(AGENT) @Nullable Name agent) {}

    record InstallResponse(
            @Doc("The agent as it is now, with its skills.") Agent agent,
            @Doc("false if nothing had to be changed.") boolean changed) {}

    private Tool<InstallRequest, InstallResponse> install() {
        return Tool.named("SK_Install")
                .title("Install a skill on an agent")
                .description("Installs a skill on an agent. Next: SK_Read.")
                .details("""
                        AP_Read then shows it among the agent's skills, and whoever is logged on as the agent should \
                        follow it. Repeating the call changes nothing. An agent has at most 50. For the agent's owner \
                        and admins.""")
                .alsoCalled(
                        "publish a guide of our own",
                        "add instructions to the library",
                        "make a skill available",
                        "bring in a skill package",
                        "teach an agent",
                        "give an ability",
                        "equip a bot",
                        "train")
                .needs(Capability.SKILL_WRITE)
                .on(Requirement.OfAgent.OWN)
                .effect(Effect.CHANGES)
                .idempotent()
                .route("POST", "/api/skills/{name}/install")
                .handledBy(InstallRequest.class, InstallResponse.class, (in, call) -> {
                    var agent = agent(call, in.agent());
                    var shipped = Library.shipped(in.name()).isPresent();
                    var outcome = skills.install(call, agent.id(), in.name(), shipped, MOST_INSTALLED);
                    if (!outcome.exists()) {
                        throw library.missing(call.caller(), in.name());
                    } else if (!outcome.changed() && outcome.others() >= MOST_INSTALLED) {
                        throw Problem.conflict(
                                "'%s' has %d skills, the most that an agent may have; take one off with SK_Uninstall"
                                        .formatted(agent.name(), outcome.others()));
                    }
                    return new InstallResponse(agents.record(call, agent), outcome.changed());
                });
    }

    private Tool<InstallRequest, InstallResponse> uninstall() {
        return Tool.named("SK_Uninstall")
                .title("Take a skill off an agent")
                .description("Removes a skill from an agent. The skill itself stays.")
                .details("Repeating the call changes nothing. For the agent's owner and admins.")
                .alsoCalled(
                        "remove a guide from the library",
                        "a skill is out of date",
                        "take a playbook away from everyone",
                        "unlearn",
                        "take away an ability")
                .needs(Capability.SKILL_WRITE)
                .on(Requirement.OfAgent.OWN)
                .effect(Effect.CHANGES)
                .idempotent()
                .route("DELETE", "/api/skills/{name}/install")
                .handledBy(InstallRequest.class, InstallResponse.class, (in, call) -> {
                    var agent = agent(call, in.agent());
                    var outcome = skills.uninstall(call, agent.id(), in.name());
                    if (!outcome.exists() && Library.shipped(in.name()).isEmpty()) {
                        throw library.missing(call.caller(), in.name());
                    }
                    return new InstallResponse(agents.record(call, agent), outcome.changed());
                });
    }

    private AgentStore.LockedAgent agent(Call call, @Nullable Name name) {
        var agent = agents.lock(call, name == null ? self(call) : name);
        AccessCheck.require(AgentAccess.missing(call, agent));
        return agent;
    }

    private static Name self(Call call) {
        var self = call.context().self();
        if (self == null) {
            throw Problem.noContext("no agent is given: give agent, or log on as one with AP_LogOn");
        }
        return Name.of(self.name());
    }

    record AddRequest(
            @Doc(
                    value =
                            "The skill's folder as a zip of at most 1 MiB, in base64: SKILL.md at its root, or in one folder with the skill's name.",
                    max = MOST_CHARACTERS)
            String archive,

            @Doc(value = "true: replace your tenant's skill of that name.", mayBeBlank = true) @Nullable
            Boolean replace,

            @Doc(value = IfRevision.DOC + " 0: only if new.", mayBeBlank = true) @Nullable
            Long ifRevision) {}

    record AddResponse(
            @Doc("The skill.") SkillRecord skill,
            @Doc("Its revision.") long revision,

            @Doc("false if your tenant had the same archive already.")
            boolean changed) {}

    private Tool<AddRequest, AddResponse> add() {
        return Tool.named("SK_Add")
                .title("Add a skill of your own")
                .description("Adds a skill to those of the tenant, for admins. Next: SK_Install.")
                .details("""
                        Everyone in the tenant sees it, and agents follow it. It must follow the Agent Skills \
                        specification (agentskills.io): SKILL.md has name and description in its frontmatter. It may \
                        have at most 100 plain files of 1 MiB each, 5 MiB together. The engine never runs anything in \
                        it. Over REST the zip itself can be the body (application/zip, or multipart/form-data with a \
                        file). A tenant has at most 100 skills of its own, 20 MiB together.""")
                .alsoCalled(
                        "give an agent a skill",
                        "a bot should learn a procedure",
                        "equip an assistant with instructions",
                        "upload a playbook",
                        "publish instructions",
                        "import SKILL.md",
                        "share a how-to")
                .needs(Capability.SKILL_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CREATES)
                .route("POST", "/api/skills")
                .upload("archive", "application/zip", Route.Passing.IN_FIELD)
                .handledBy(
                        AddRequest.class,
                        AddResponse.class,
                        (in, _) -> SkillArchive.read(decoded(in.archive())),
                        this::add);
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("archive", "must be a zip in base64 (RFC 4648, section 4)");
        }
    }

    private AddResponse add(AddRequest in, Skill skill, Call call) {
        var card = skill.card();
        var name = skill.name();
        if (Library.shipped(name).isPresent()) {
            throw taken("the engine ships a skill '%s': choose another name".formatted(name));
        }
        var stock = skills.lock(call, name);
        var present = stock.skill();
        IfRevision.check(in.ifRevision(), present == null ? 0 : present.revision());
        if (present != null && present.card().digest().equals(card.digest())) {
            return new AddResponse(SkillRecord.own(present, all), present.revision(), false);
        } else if (present != null && !Boolean.TRUE.equals(in.replace())) {
            throw taken("your tenant already has a skill '%s': send replace=true to replace it, or choose another name"
                    .formatted(name));
        }
        checkRoom(stock, card);
        var own = skills.put(call, skill, card, present != null);
        return new AddResponse(SkillRecord.own(own, all), own.revision(), true);
    }

    private static Problem taken(String note) {
        return new Problem(Failure.ALREADY_EXISTS, note);
    }

    private static void checkRoom(SkillStore.Stock stock, SkillCard card) {
        if (stock.others() >= MOST_OWN) {
            throw Problem.conflict(
                    "your tenant has %d skills of its own, the most that it may have; remove one with SK_Remove"
                            .formatted(stock.others()));
        } else if (stock.size() + card.size() > MOST_BYTES) {
            throw Problem.conflict("your tenant's own skills would have %,d bytes together; at most %,d are allowed"
                    .formatted(stock.size() + card.size(), MOST_BYTES));
        }
    }

    record RemoveRequest(
            @Doc(value = SkillTools.NAME, max = 64) String name) {}

    record RemoveResponse(
            @Doc("Always true.") boolean changed,
            @Doc("From how many agents it was removed.") long uninstalled) {}

    private Tool<RemoveRequest, RemoveResponse> remove() {
        return Tool.named("SK_Remove")
                .title("Remove a skill of your own")
                .description("""
                        Deletes a skill of the tenant and removes it from every agent, for admins.""")
                .details("""
                        Shipped skills cannot be removed. SK_Uninstall removes a skill from one agent.""")
                .alsoCalled(
                        "take a skill from an agent",
                        "a bot should unlearn a procedure",
                        "an agent no longer needs a guide",
                        "delete a playbook",
                        "retire instructions")
                .needs(Capability.SKILL_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.DESTROYS)
                .route("DELETE", "/api/skills/{name}")
                .example("name", "tide-tables")
                .handledBy(RemoveRequest.class, RemoveResponse.class, (in, call) -> {
                    var shipped = Library.shipped(in.name()).isPresent();
                    if (!skills.holds(call, in.name())) {
                        throw shipped
                                ? Problem.conflict(
                                        "'%s' comes with the service and cannot be removed; SK_Uninstall takes it off an agent"
                                                .formatted(in.name()))
                                : library.missing(call.caller(), in.name());
                    }
                    return new RemoveResponse(true, skills.remove(call, in.name(), !shipped));
                });
    }
}
