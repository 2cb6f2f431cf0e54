package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A small catalogue over a map: agents as commands, keys on their own routes. */
public final class TestCatalogue {
    record NewAgent(
            @Doc("Its name.") Name name,

            @Doc(value = "What it is for.", max = Limits.DESCRIPTION)
            String description,

            @Doc(
                    value = "Who may see it.",
                    oneOf = {"private", "public"})
            @Nullable
            String access) {}

    record Create(@Doc("The new agent.") NewAgent vx) {}

    record AgentTarget(@Doc("The agent.") Name agent) {}

    record OneAgent(@Doc("Which agent.") AgentTarget target) {}

    record Agent(
            @Doc("Its name.") Name name,
            @Doc("What it is for.") String description) {}

    record Created(
            @Doc("The agent.") Agent agent,
            @Doc("Its revision.") int revision) {}

    record Profile(@Doc("The agent's record.") List<Agent> profile) {}

    record Done(@Doc("Whether anything changed.") boolean changed) {}

    record Said(
            @Doc(value = "What to say.", max = Limits.CONTENT)
            String content) {}

    record KeyPage(
            @Doc(value = "How many.", min = 1, max = 200) @Nullable
            Integer limit,

            @Doc("Where to go on.") @Nullable String cursor) {}

    record KeyList(
            @Doc("Only enabled ones.") @Nullable Boolean enabled,
            @Doc("With one of these labels.") @Nullable List<String> labels,
            @Doc("Which part.") @Nullable KeyPage page) {}

    record NewKey(
            @Doc("Its name.") String name,
            @Doc("Its labels.") @Nullable List<String> labels) {}

    record KeyChange(
            @Doc("The key's id.") String id,
            @Doc("Its new name.") @Nullable String name) {}

    record OneKey(@Doc("The key's id.") long id) {}

    record Echo(@Doc("What was understood.") String heard) {}

    final Map<String, Agent> agents = new ConcurrentHashMap<>();

    public Catalogue catalogue() {
        return new Catalogue(List.of(create(), read(), destroy(), chat(), keys(), newKey(), keyChange(), keyEnd()));
    }

    private Tool<Create, Created> create() {
        return Tool.named("AP_Create")
                .title("Create an agent")
                .description("Creates an agent owned by the caller. It is on the caller's roster at once.")
                .needs(Capability.AGENT_WRITE)
                .effect(Effect.CREATES)
                .handledBy(Create.class, Created.class, (in, _) -> {
                    var agent = new Agent(in.vx().name(), in.vx().description());
                    if (agents.putIfAbsent(agent.name().key(), agent) != null) {
                        throw Problem.alreadyExists("agent", agent.name().text());
                    }
                    return new Created(agent, 1);
                });
    }

    private Tool<OneAgent, Profile> read() {
        return Tool.named("AP_Read")
                .title("Read an agent")
                .description("Gives the agent's record.")
                .needs(Capability.AGENT_READ)
                .effect(Effect.READS)
                .handledBy(OneAgent.class, Profile.class, (in, _) -> {
                    var agent = agents.get(in.target().agent().key());
                    if (agent == null) {
                        throw Problem.notFound("agent", in.target().agent().text(), List.of());
                    }
                    return new Profile(List.of(agent));
                });
    }

    private Tool<OneAgent, Done> destroy() {
        return Tool.named("AP_Destroy")
                .title("Destroy an agent")
                .description("Ends the agent for everyone.")
                .needs(Capability.AGENT_WRITE)
                .effect(Effect.DESTROYS)
                .handledBy(
                        OneAgent.class,
                        Done.class,
                        (in, _) -> new Done(agents.remove(in.target().agent().key()) != null));
    }

    /** Returns a tool whose message decides how it fails. */
    private Tool<Said, Echo> chat() {
        return Tool.named("AP_Chat")
                .title("Chat")
                .description("Says it.")
                .needs(Capability.AGENT_WRITE)
                .effect(Effect.CREATES)
                .handledBy(Said.class, Echo.class, (in, _) -> switch (in.content()) {
                    case "too often" -> throw Problem.rateLimited("too often", Duration.ofMillis(1_200));
                    case "database away" -> throw Problem.unavailable();
                    case "crash" -> throw new IllegalStateException("secret: jdbc:postgresql://inside");
                    default -> new Echo(in.content());
                });
    }

    private Tool<KeyList, Echo> keys() {
        return Tool.named("AK_List")
                .title("List keys")
                .description("Lists the keys.")
                .needs(Capability.KEY_READ)
                .effect(Effect.READS)
                .route("GET", "/api/keys")
                .handledBy(KeyList.class, Echo.class, (in, _) -> new Echo(in.toString()));
    }

    private Tool<NewKey, Echo> newKey() {
        return Tool.named("AK_Create")
                .title("Create a key")
                .description("Creates a key.")
                .needs(Capability.KEY_WRITE)
                .effect(Effect.CREATES)
                .route("POST", "/api/keys")
                .handledBy(NewKey.class, Echo.class, (in, _) -> new Echo(in.toString()));
    }

    private Tool<KeyChange, Echo> keyChange() {
        return Tool.named("AK_Update")
                .title("Update a key")
                .description("Changes a key.")
                .needs(Capability.KEY_WRITE)
                .effect(Effect.CHANGES)
                .route("PATCH", "/api/keys/{id}")
                .handledBy(KeyChange.class, Echo.class, (in, _) -> {
                    if (in.id().equals("gone")) {
                        throw Problem.notFound("key", in.id(), List.of());
                    }
                    return new Echo(in.toString());
                });
    }

    private Tool<OneKey, Echo> keyEnd() {
        return Tool.named("AK_Delete")
                .title("Delete a key")
                .description("Deletes a key.")
                .needs(Capability.KEY_WRITE)
                .effect(Effect.DESTROYS)
                .route("DELETE", "/api/keys/{id}")
                .handledBy(OneKey.class, Echo.class, (in, _) -> new Echo(in.toString()));
    }
}
