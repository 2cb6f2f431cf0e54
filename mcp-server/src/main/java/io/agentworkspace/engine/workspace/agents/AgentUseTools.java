package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentUseQueries.OfDay;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an agent costs: AP_Usage. */
final class AgentUseTools {
    /** How many characters a token has, by the estimate of the service. */
    private static final long CHARACTERS_OF_TOKEN = 4;

    private final AgentUseQueries reads;

    public AgentUseTools(AgentUseQueries reads) {
        this.reads = reads;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(usage());
    }

    record UsageRequest(@Doc("Which agent. Default: you.") Targets.@Nullable UserAgent target) {}

    record Day(
            @Doc("The day, in UTC.") String day,
            @Doc("How many tools it called.") long calls,

            @Doc("How many characters it sent, as arguments.")
            long charactersSent,

            @Doc("How many characters it received, as responses.")
            long charactersReceived,

            @Doc("Both, divided by 4.") long estimatedTokens) {}

    record UsageResponse(
            @Doc("The agent.") String agent,

            @Doc("How many days back this looks, at most; in UTC.")
            long days,

            @Doc("All these days together.") Total total,

            @Doc("The days on which it called a tool, oldest first.")
            List<Day> daily) {}

    record Total(
            @Doc("How many tools it called.") long calls,
            @Doc("How many characters it sent.") long charactersSent,
            @Doc("How many characters it received.") long charactersReceived,
            @Doc("Both, divided by 4.") long estimatedTokens) {}

    private Tool<UsageRequest, UsageResponse> usage() {
        return Tool.named("AP_Usage")
                .title("See what an agent costs")
                .description("""
                        Shows what an agent sent and received through tools in the last 30 days: calls, characters and estimated tokens, by day.""")
                .details("""
                        Arguments and responses are counted as JSON, of refused calls, too. Four characters are a token. What hooks add, and what a model \
                        reads elsewhere, is not counted. For the agent's owner and admins.""")
                .alsoCalled(
                        "what does this agent cost",
                        "how many tokens does a bot use",
                        "consumption of an assistant per day",
                        "which agent is the most expensive")
                .hints(Guide.Hint.ON_DEMAND)
                .needs(Capability.AGENT_READ)
                .on(Requirement.OfAgent.OWN)
                .handledBy(UsageRequest.class, UsageResponse.class, (in, call) -> {
                    var found = reads.read(
                            call, in.target() == null ? null : in.target().agent());
                    var sum = found.daily().stream().reduce(new OfDay("", 0, 0, 0), OfDay::plus);
                    return new UsageResponse(
                            found.agent(),
                            AgentUseStore.KEPT.toDays(),
                            new Total(sum.calls(), sum.in(), sum.out(), tokens(sum)),
                            found.daily().stream()
                                    .map(day -> new Day(day.day(), day.calls(), day.in(), day.out(), tokens(day)))
                                    .toList());
                });
    }

    private static long tokens(OfDay day) {
        return Math.ceilDiv(day.in() + day.out(), CHARACTERS_OF_TOKEN);
    }
}
