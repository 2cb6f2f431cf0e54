package io.agentworkspace.engine.model.event;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.task.TaskState;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** The types of events (contract, Events), each with the shape of its data and an example. */
public enum EventType {
    BILLING_PLAN_CHANGED(
            "Billing", "The tenant's plan was changed.", new EventData.PlanChanged(Plan.FREE, Plan.TEAM, "maria")),
    QUOTA_THRESHOLD_REACHED(
            "Quota",
            "A count has reached 80 % or 100 % of the plan's limit. Sent once for each scope, threshold and window.",
            new EventData.ThresholdReached(
                    Scope.COMMANDS, 80, 10_000, 8_000, Plan.FREE, Instant.parse("2026-05-25T20:30:00Z"))),
    QUOTA_REQUEST_REJECTED(
            "Quota",
            "A request was refused because the plan's limit is reached. Sent at most once a minute for each scope.",
            new EventData.RequestRejected(Scope.AGENTS, 25, 25, Plan.FREE, "AP_Create")),
    AGENT_DEPLOYMENT_CREATED(
            "Deployments",
            "An agent was created.",
            new EventData.AgentDeployment("Researcher", Access.PRIVATE, "maria", 1, null)),
    AGENT_DEPLOYMENT_UPDATED(
            "Deployments",
            "An agent was changed.",
            new EventData.AgentDeployment("Researcher", Access.PUBLIC, "maria", 2, List.of("access"))),
    AGENT_DEPLOYMENT_DELETED(
            "Deployments",
            "An agent was destroyed.",
            new EventData.AgentDeployment("Researcher", Access.PUBLIC, "maria", 2, null)),
    WEBHOOK_ENDPOINT_CREATED("Webhook lifecycle", "A webhook endpoint was created.", Examples.endpoint(true)),
    WEBHOOK_ENDPOINT_UPDATED(
            "Webhook lifecycle",
            "A webhook endpoint was changed, by somebody or because it fails: with warning where it is about to be disabled.",
            Examples.endpoint(true)),
    WEBHOOK_ENDPOINT_DELETED(
            "Webhook lifecycle",
            "A webhook endpoint was deleted. It gets this event itself, too, whatever it subscribes to, unless it was disabled.",
            Examples.endpoint(false)),
    DOCUMENT_ACCEPTED(
            "Documents",
            "A document was validated, and can be loaded into banks.",
            new EventData.DocumentValidated("tide-tables.md", 2, List.of())),
    DOCUMENT_REJECTED(
            "Documents",
            "A document was validated, and rejected for the reasons given.",
            new EventData.DocumentValidated(
                    "tide-tables.pdf",
                    1,
                    List.of(DocumentReason.of(
                            DocumentReason.Code.ENCRYPTED,
                            "it is a PDF protected by a password; save it without one")))),
    MESSAGE_CREATED(
            "Messages",
            "A message was sent in a zone or directly. An endpoint is sent those that the user who created it may read.",
            new EventData.MessageCreated(
                    UUID.fromString("0d5f6b1e-2c43-4a7b-9f10-6a1b2c3d4e5f"),
                    "Researcher",
                    "harbour",
                    "main",
                    null,
                    42,
                    "The tide turns at seven.")),
    MEMORY_STORED(
            "Memories",
            "A memory was stored or replaced, with MB_Store or MB_Files. An endpoint is sent those that the user who created it may read.",
            new EventData.MemoryStored(
                    "tides", UUID.fromString("3f2a9c44-8d51-4b6e-a7c0-1e2f3a4b5c6d"), "low water", "Researcher", 1)),
    QUESTION_ASKED(
            "Questions",
            "A message asked a question of an agent, a user or a zone.",
            new EventData.QuestionAsked(
                    UUID.fromString("0197f1d0-4415-7000-8000-000000000002"),
                    "scout",
                    "maria",
                    null,
                    null,
                    "Two coats of paint, or three?",
                    List.of("two", "three"),
                    null)),
    QUESTION_ANSWERED(
            "Questions",
            "A question was answered.",
            new EventData.QuestionAnswered(UUID.fromString("0197f1d0-4415-7000-8000-000000000002"), "three", "maria")),
    TASK_CHANGED(
            "Tasks",
            "A task of a domain was created, claimed, changed or finished, or its holder has lost it.",
            new EventData.TaskChanged(
                    UUID.fromString("0197f1d0-4415-7000-8000-000000000001"),
                    "harbour",
                    "Paint the boat",
                    TaskState.DONE,
                    "done",
                    "scout",
                    null,
                    null,
                    4)),
    WEBHOOK_TEST("Test", "Sent on request, by POST /api/webhooks/test; data is the caller's.", new EventData.Test());

    private final String group;
    private final String description;
    private final EventData example;
    private final Schema schema;

    EventType(String group, String description, EventData example) {
        this.group = group;
        this.description = description;
        this.example = example;
        this.schema = Schema.of(((Record) example).getClass());
    }

    /** Returns the name used on the wire: {@code agent.deployment.created}. */
    @JsonValue
    public String word() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '.');
    }

    public static Optional<EventType> find(String word) {
        return Arrays.stream(values()).filter(type -> type.word().equals(word)).findFirst();
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(EventType::word).toList();
    }

    public String group() {
        return group;
    }

    public String description() {
        return description;
    }

    /** Returns the JSON Schema 2020-12 of {@code data}. */
    public ObjectNode schema() {
        return schema.json();
    }

    public ObjectNode example() {
        return Json.tree(example);
    }

    /**
     * Validates the data of an event of this type. Fields of the schema are returned as by {@link Schema#read},
     * without null or blank ones; other fields are unchanged.
     *
     * @throws Problem if the data is not valid
     */
    public ObjectNode checked(ObjectNode data) {
        var input = schema.read(data, false);
        var checked = Json.object();
        for (var field : data.properties()) {
            var value = schema.hasField(field.getKey()) ? input.get(field.getKey()) : field.getValue();
            if (value != null) {
                checked.set(field.getKey(), value);
            }
        }
        return checked;
    }

    private static final class Examples {
        private static EventData endpoint(boolean enabled) {
            return new EventData.EndpointState(
                    UUID.fromString("6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11"),
                    "https://example.com/hooks",
                    List.of("agent.deployment.created", "agent.deployment.deleted"),
                    enabled,
                    null,
                    null);
        }
    }
}
