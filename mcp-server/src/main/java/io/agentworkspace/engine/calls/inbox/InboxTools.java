package io.agentworkspace.engine.calls.inbox;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tool that lists what waits for a user: US_Inbox. */
final class InboxTools {
    private final InboxQueries inbox;

    public InboxTools(Db db) {
        this.inbox = new InboxQueries(db);
    }

    public List<Tool<?, ?>> tools() {
        return List.of(inbox());
    }

    record InboxRequest(
            @Doc("On whose behalf.") Targets.@Nullable UserOnly target,

            @Doc("Which part.") @Nullable Page page) {}

    record InboxResponse(
            @Doc("What waits for the user, newest first.") List<InboxItem> content,

            @Doc("How many items of each kind wait; a kind of which none waits is absent.")
            Map<String, Long> counts,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    private Tool<InboxRequest, InboxResponse> inbox() {
        return Tool.named("US_Inbox")
                .title("List what waits for you")
                .page(Guide.Page.QUESTIONS)
                .description("""
                        Lists what waits for a user: unread direct messages, open questions, invitations, requests to \
                        join, stopped agents, blocked tasks. Each item has the calls that deal with it.""")
                .details("""
                        Kinds: message (unread, direct), question (open), invitation (of an agent of the user), request \
                        (to join a domain that the user decides for), task (blocked, created by the user). guard: an \
                        incident in which the loop guard stops agents; its actions allow more messages, stop the agents or change the limit. \
                        For admins also upstream (held tools) and endpoint (failing). An item is gone \
                        when it is dealt with. Send an action's arguments to its tool, with what add names. Kinds that \
                        your credential may not read are left out. It marks nothing as read.""")
                .alsoCalled(
                        "what needs my attention",
                        "what needs me",
                        "pending approvals",
                        "notifications",
                        "open questions to me",
                        "who waits for my answer",
                        "my inbox",
                        "what is waiting for a decision")
                .needs(Capability.USER_READ)
                .on(Requirement.OfCredential.PERSONAL)
                .alsoAt("GET", "/api/inbox")
                .handledBy(InboxRequest.class, InboxResponse.class, (in, call) -> {
                    AccessCheck.require(AccessCheck.ofCredential(call));
                    var found = inbox.read(call, in.page());
                    return new InboxResponse(
                            found.items().rows(), found.counts(), found.items().nextCursor());
                });
    }
}
