package io.agentworkspace.engine.identity.users;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.UserAccess;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolDraft;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The tools for admins to manage the tenant's users: US_List, US_Create, US_Update, US_Remove. */
final class UserAdminTools {
    static final String ROLE =
            "viewer only reads, member works with what it may see, admin sees and changes everything, owner is an admin who"
                    + " also decides about owners.";

    private final UserStore users;

    public UserAdminTools(UserStore users) {
        this.users = users;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), create(), update(), remove());
    }

    record ThisUser(
            @Doc("The user's name or e-mail.") UserHandle user,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record ListRequest(
            @Doc("In which context.") Targets.@Nullable ContextOnly target,
            @Doc("Which part.") @Nullable Page page) {}

    record NewUser(
            @Doc("The user's name, unique in the tenant.") Name name,

            @Doc(
                    value = "Its role: " + ROLE + " Default: member.",
                    oneOf = {"viewer", "member", "admin", "owner"},
                    mayBeBlank = true)
            @Nullable
            Role access) {}

    record SomeOfUser(
            @Doc(value = "The new name.", mayBeBlank = true) @Nullable
            Name name,

            @Doc(
                    value = "The new role: " + ROLE,
                    oneOf = {"viewer", "member", "admin", "owner"},
                    mayBeBlank = true)
            @Nullable
            Role access) {}

    record Heir(
            @Doc("Who takes over what the user owns. Default: you.") @Nullable
            UserHandle name) {}

    record CreateRequest(
            @Doc("In which context.") Targets.@Nullable ContextOnly target,
            @Doc("The new user.") NewUser vx) {}

    record UpdateRequest(
            @Doc("Which user.") ThisUser target,
            @Doc("What changes.") @Nullable SomeOfUser vx,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision) {}

    record RemoveRequest(
            @Doc("Which user.") ThisUser target,
            @Doc("Who takes over.") @Nullable Heir vx,
            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    record ListResponse(
            @Doc("The users, by name.") List<User> profile,
            @Doc("For each of them, what it owns.") List<Having> content,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    record Having(
            @Doc("The user's name.") String user,
            @Doc("How many agents it owns.") long agents,
            @Doc("How many domains it owns.") long domains,

            @Doc("How many banks it owns, including those in the trash.")
            long banks,

            @Doc("How many working keys it has.") long keys) {}

    record CreateResponse(
            @Doc("The user as it is now.") User user,
            @Doc("Its revision.") long revision) {}

    record UpdateResponse(
            @Doc("The user as it is now.") User user,
            @Doc("Its revision.") long revision,
            @Doc("Whether anything was changed.") boolean changed,
            @Doc("How many of its keys were revoked.") long keys) {}

    record RemoveResponse(
            @Doc("Always true.") boolean changed,

            @Doc("The user who now owns what the removed user owned.")
            String heir,

            @Doc("How many agents got the new owner.") long agents,
            @Doc("How many domains got the new owner.") long domains,
            @Doc("How many banks got the new owner.") long banks,
            @Doc("How many keys were revoked.") long keys) {}

    private static ToolDraft admins(String name) {
        return Tool.named(name).atLeast(Role.ADMIN);
    }

    private Tool<ListRequest, ListResponse> list() {
        return admins("US_List")
                .title("List the users")
                .description("""
                        Lists the users of the tenant, for admins, with counts of what each owns.""")
                .details("""
                        profile contains their records, content how many agents, domains, banks and keys each has.""")
                .alsoCalled("who has access", "people", "team members", "accounts", "colleagues")
                .needs(Capability.USER_READ)
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var slice = users.list(call, in.page());
                    return new ListResponse(
                            slice.rows().stream()
                                    .map(UserStore.UserSummary::user)
                                    .toList(),
                            slice.rows().stream()
                                    .map(row -> new Having(
                                            row.user().name(), row.agents(), row.domains(), row.banks(), row.keys()))
                                    .toList(),
                            slice.nextCursor());
                });
    }

    private Tool<CreateRequest, CreateResponse> create() {
        return admins("US_Create")
                .title("Create a user")
                .description("""
                        Adds a user (vx.name) with a role (vx.access) to the tenant, for admins. Next: AK_Create with \
                        target.user.""")
                .details("""
                        A user is a person or a service identity. A new user has no key. Only an owner creates owners.""")
                .alsoCalled("invite a person", "add a colleague", "new account", "onboard", "sign up someone")
                .needs(Capability.USER_WRITE)
                .on(Requirement.OfCredential.UNBOUND)
                .effect(Effect.CREATES)
                .handledBy(CreateRequest.class, CreateResponse.class, (in, call) -> {
                    AccessCheck.require(AccessCheck.ofCredential(call));
                    var role = in.vx().access() == null ? Role.MEMBER : in.vx().access();
                    AccessCheck.require(UserAccess.ofOwners(call, role));
                    var user = users.insert(call, in.vx().name(), role);
                    return new CreateResponse(user, user.revision());
                });
    }

    private Tool<UpdateRequest, UpdateResponse> update() {
        return admins("US_Update")
                .title("Change a user")
                .description("Changes the name or role of a user, for admins.")
                .details("""
                        Fields that you leave out stay as they are. The change takes effect on every replica within a \
                        second. Only an owner changes owners, and the last owner stays one. A user who becomes an admin \
                        or an owner loses each key that somebody else made or rotated, and the keys made with it; keys \
                        counts them.""")
                .alsoCalled("promote", "demote", "make someone admin", "change a role", "rename a user")
                .needs(Capability.USER_WRITE)
                .on(Requirement.OfCredential.UNBOUND, Requirement.OfUser.GOVERN)
                .effect(Effect.CHANGES)
                .idempotent()
                .example("vx.access", "viewer")
                .handledBy(UpdateRequest.class, UpdateResponse.class, (in, call) -> {
                    AccessCheck.require(AccessCheck.ofCredential(call));
                    var locked = users.lock(call, in.target().user(), null);
                    var person = found(call, locked);
                    IfRevision.check(in.ifRevision(), person.revision());
                    var vx = in.vx() == null ? new SomeOfUser(null, null) : in.vx();
                    var role = vx.access() == null ? person.role() : vx.access();
                    var missing = UserAccess.missing(call, person.id(), person.role());
                    if (role != person.role()) {
                        AccessCheck.require(missing);
                        AccessCheck.require(UserAccess.ofOwners(call, role));
                        keepLastOwner(locked);
                    }
                    var renamed = vx.name() != null && !vx.name().text().equals(person.name());
                    if (renamed) {
                        AccessCheck.require(missing);
                    }
                    var changed = renamed || role != person.role();
                    var updated = changed
                            ? users.update(call, person, vx.name(), role)
                            : new UserStore.Updated(users.read(call, person), 0);
                    var user = updated.user();
                    if (person.id() == call.context().user().id()) {
                        call.context(call.context().withUser(new Ref(person.id(), user.name())));
                    }
                    return new UpdateResponse(user, user.revision(), changed, updated.keys());
                });
    }

    private Tool<RemoveRequest, RemoveResponse> remove() {
        return admins("US_Remove")
                .title("Remove a user")
                .description("""
                        Removes a user from the tenant, for admins. What the user owns passes to the user vx.name, else \
                        to you.""")
                .details("""
                        The user's keys and sessions stop working within a second. The agents, domains and banks get \
                        the new owner, so that nothing is lost. Messages stay under the user's name. Only an owner \
                        removes owners. Nobody can remove themselves.""")
                .alsoCalled(
                        "offboard",
                        "delete an account",
                        "kick out a person",
                        "revoke someone's access",
                        "someone left the company")
                .needs(Capability.USER_WRITE)
                .on(Requirement.OfCredential.UNBOUND, Requirement.OfUser.REMOVE)
                .effect(Effect.DESTROYS)
                .handledBy(RemoveRequest.class, RemoveResponse.class, (in, call) -> {
                    AccessCheck.require(AccessCheck.ofCredential(call));
                    var name = in.vx() == null ? null : in.vx().name();
                    var locked = users.lock(call, in.target().user(), name);
                    var person = found(call, locked);
                    AccessCheck.require(UserAccess.missing(call, person.id(), person.role()));
                    IfRevision.check(in.ifRevision(), person.revision());
                    keepLastOwner(locked);
                    var heir = heir(call, name, locked);
                    var handed = users.remove(call, person, heir.id());
                    handed.agents().forEach(agent -> call.emit(EventType.AGENT_DEPLOYMENT_UPDATED, agent));
                    return new RemoveResponse(
                            true, heir.name(), handed.agents().size(), handed.domains(), handed.banks(), handed.keys());
                });
    }

    private static UserStore.LockedUser found(Call call, UserStore.LockedUsers locked) {
        call.about(new Call.About(locked.user().name(), null));
        return locked.user();
    }

    private UserStore.LockedUser heir(Call call, @Nullable UserHandle name, UserStore.LockedUsers locked) {
        var heir = locked.heir().orElseThrow(() -> users.missing(call, Objects.requireNonNull(name)));
        if (heir.id() == locked.user().id()) {
            throw Problem.invalid("vx.name", "must be another user than the one who is removed");
        }
        return heir;
    }

    private static void keepLastOwner(UserStore.LockedUsers locked) {
        if (locked.isLastOwner()) {
            throw Problem.conflict(
                    "'%s' is the tenant's last owner: first make another user an owner, with US_Update and vx.access 'owner'"
                            .formatted(locked.user().name()));
        }
    }
}
