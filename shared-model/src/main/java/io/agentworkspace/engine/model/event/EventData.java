package io.agentworkspace.engine.model.event;

import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The {@code data} of an event's envelope: everything but its type and time (contract, Events; decisions, section 8).
 */
public sealed interface EventData {
    record PlanChanged(
            @Doc("The plan until now.") Plan previousPlan,
            @Doc("The plan from now on.") Plan plan,
            @Doc("The user who changed it.") String changedBy)
            implements EventData {}

    record ThresholdReached(
            @Doc("What is counted.") Scope scope,

            @Doc(
                    value = "The threshold, in percent of the limit.",
                    oneOf = {"80", "100"})
            int threshold,

            @Doc("The plan's limit.") long limit,
            @Doc("The count that reached it.") long count,
            @Doc("The plan.") Plan plan,

            @Doc("When the limit will be reached if it goes on like this; absent where that cannot be told.") @Nullable
            Instant projectedExhaustionAt)
            implements EventData {}

    record RequestRejected(
            @Doc("What there is too much of.") Scope scope,
            @Doc("The plan's limit.") long limit,
            @Doc("The count at that moment.") long count,
            @Doc("The plan.") Plan plan,
            @Doc("The command that was refused.") String service)
            implements EventData {}

    record AgentDeployment(
            @Doc("The agent's name.") String agent,

            @Doc(
                    value = "Who may see it.",
                    oneOf = {"private", "agent", "domain", "public"})
            Access access,

            @Doc("The user who owns it.") String owner,
            @Doc("Its revision.") long revision,

            @Doc("The fields that were set; only in agent.deployment.updated.") @Nullable
            List<String> changed)
            implements EventData {
        public static AgentDeployment of(Agent agent, @Nullable List<String> changed) {
            return new AgentDeployment(agent.name(), agent.access(), agent.owner(), agent.revision(), changed);
        }
    }

    record EndpointState(
            @Doc(value = "The endpoint.", format = "uuid") UUID endpointId,
            @Doc("Its URL.") String url,

            @Doc("The event types that it is sent; * for all.")
            List<String> events,

            @Doc("Whether it receives events.") boolean enabled,

            @Doc(
                    value =
                            "Why it is not: manual, gone (it answered 410) or failing (nothing but failures for 120 h).",
                    oneOf = {"manual", "gone", "failing"})
            @Nullable
            String disabledReason,

            @Doc(
                    "Present while it still works, when it is about to be disabled because nothing but failures come back.")
            @Nullable
            Warning warning)
            implements EventData {}

    record Warning(
            @Doc(
                    value = "How much of the way to being disabled has passed, in percent.",
                    oneOf = {"50", "70", "90"})
            int percent,

            @Doc("Since when there have been nothing but failures.")
            Instant failingSince,

            @Doc("When it will be disabled unless a delivery succeeds before.")
            Instant disabledAt) {}

    record DocumentValidated(
            @Doc("The document's name.") String document,
            @Doc("Its version.") long version,

            @Doc("Why it was rejected; for an accepted one, warnings.")
            List<DocumentReason> reasons)
            implements EventData {}

    record MessageCreated(
            @Doc(value = "The message.", format = "uuid") UUID messageId,
            @Doc("Who sent it.") String from,

            @Doc("The domain of its zone; absent for a direct message.") @Nullable
            String domain,

            @Doc("The zone that it was sent to; absent for a direct message.") @Nullable
            String zone,

            @Doc("The recipient of a direct message; absent in a zone.") @Nullable
            String to,

            @Doc("Its number in its zone or direct conversation.")
            long seq,

            @Doc("The first 500 characters of its text; AP_Read and ZN_Read have the rest.")
            String text)
            implements EventData {
        private static final int LONGEST = 500;

        public static MessageCreated of(Message message) {
            var text = message.text().content();
            return new MessageCreated(
                    UUID.fromString(message.place().id()),
                    message.place().from(),
                    message.place().domain(),
                    message.place().zone(),
                    message.place().to(),
                    message.place().seq(),
                    text.codePointCount(0, text.length()) <= LONGEST
                            ? text
                            : text.substring(0, text.offsetByCodePoints(0, LONGEST)));
        }
    }

    record MemoryStored(
            @Doc("The bank.") String bank,
            @Doc(value = "The memory.", format = "uuid") UUID memoryId,
            @Doc("Its name, if it has one.") @Nullable String name,
            @Doc("Who stored it.") String author,
            @Doc("Its revision.") long revision)
            implements EventData {}

    record QuestionAsked(
            @Doc(value = "The question, and its message.", format = "uuid")
            UUID question,

            @Doc("Who asked.") String from,
            @Doc("Whom, if one was asked.") @Nullable String to,

            @Doc("The domain of the zone that was asked.") @Nullable
            String domain,

            @Doc("The zone that was asked.") @Nullable String zone,
            @Doc("The question, at most 500 characters.") String text,
            @Doc("The texts to choose from.") List<String> choices,
            @Doc("When it expires.") @Nullable Instant expiresAt)
            implements EventData {}

    record QuestionAnswered(
            @Doc(value = "The question, and its message.", format = "uuid")
            UUID question,

            @Doc("The answer, at most 500 characters.") String answer,
            @Doc("Who answered.") String answeredBy)
            implements EventData {}

    record TaskChanged(
            @Doc(value = "The task.", format = "uuid") UUID task,
            @Doc("The domain that it belongs to.") String domain,
            @Doc("What is to be done.") String title,
            @Doc("How far it is now.") TaskState state,

            @Doc("What was changed, such as created, claimed, done or lost.")
            String change,

            @Doc("Who changed it; of a lease that ended, who lost it.")
            String by,

            @Doc("Whose task it is.") @Nullable String assignee,
            @Doc("Who holds it.") @Nullable String holder,
            @Doc("Its revision.") long revision)
            implements EventData {}

    /** Data that the sender of a test event wrote. */
    record Test() implements EventData {}
}
