package io.agentworkspace.engine.workspace.domains;

import static io.agentworkspace.engine.kernel.access.AccessCheck.checked;
import static io.agentworkspace.engine.kernel.access.AccessCheck.refusedIf;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.AccessNotes;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import org.jspecify.annotations.Nullable;

/** Decides what a caller may do with a domain that it sees. */
public final class DomainAccess {
    private DomainAccess() {}

    /**
     * What a caller is to a domain.
     *
     * @param takesPart whether the speaker may send messages there
     * @param mayRead whether the user may read messages there
     * @param state the membership state of self, else of the user's closest agent
     * @param member the agent in that state
     */
    public record Part(
            DomainStore.LockedDomain domain,
            boolean takesPart,
            boolean mayRead,
            @Nullable MemberState state,
            @Nullable String member) {}

    /** Returns what the caller lacks, also where the handler of the tool checks it. */
    public static AccessCheck missing(Call call, OfDomain need, Part part) {
        var domain = part.domain();
        return switch (need) {
            case TAKE_PART, HEAR ->
                (need == OfDomain.HEAR ? part.mayRead() : part.takesPart())
                        ? AccessCheck.GRANTED
                        : AccessCheck.refused(Problem.conflict(ZoneEntry.notMember(call, domain.name())));
            case LET_IN ->
                part.state() == MemberState.BANNED && part.member() != null && !domain.isRunBy(call)
                        ? AccessCheck.refused(
                                Problem.conflict(AccessNotes.banned(part.member(), domain.name(), domain.ownerName())))
                        : AccessCheck.GRANTED;
            case SEE, OWN, RUN, RUN_OR_OWN_AGENT -> missing(call, domain);
        };
    }

    /** Returns what the caller is limited to in a domain where it may run the tool; null: nothing. */
    @Nullable
    public static String limit(Call call, OfDomain need, DomainStore.LockedDomain domain) {
        var ofAgents = need == OfDomain.RUN_OR_OWN_AGENT || need == OfDomain.LET_IN;
        return ofAgents && !domain.isRunBy(call) ? "agents of your own" : null;
    }

    public static AccessCheck missing(Call call, DomainStore.LockedDomain domain) {
        var required = call.tool().requirement(OfDomain.class);
        return switch (required) {
            case SEE -> AccessCheck.GRANTED;
            case OWN ->
                checked(
                        call,
                        required,
                        refusedIf(
                                !domain.isOwnedBy(call),
                                AccessNotes.notYours("domain", domain.name(), domain.ownerName())));
            case RUN ->
                checked(
                        call,
                        required,
                        refusedIf(!domain.isRunBy(call), AccessNotes.notOfItsSide(domain.name(), domain.ownerName())));
            case TAKE_PART, HEAR, RUN_OR_OWN_AGENT, LET_IN -> AccessCheck.LEFT_TO_THE_HANDLER;
        };
    }
}
