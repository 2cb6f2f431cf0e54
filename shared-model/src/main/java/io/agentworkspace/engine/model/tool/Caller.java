package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.UserHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Who makes a request, and how the caller was authenticated.
 *
 * @param principal the credential's stable identity: contexts and idempotency keys belong to it
 * @param capabilities the names of capabilities, {@code *} for all
 * @param boundAgent the only agent that this credential may act as, if it is bound to one
 */
public record Caller(
        long tenant,
        String tenantName,
        long user,
        String userName,
        Role role,
        Set<String> capabilities,
        String principal,
        @Nullable Long boundAgent,
        Credential credential) {
    /** The prefix of the principal of a caller with another issuer's access token. */
    public static final String OAUTH = "oauth:";

    /** A caller whose credential adds no restrictions. */
    public Caller(
            long tenant,
            String tenantName,
            long user,
            String userName,
            Role role,
            Set<String> capabilities,
            String principal,
            @Nullable Long boundAgent) {
        this(tenant, tenantName, user, userName, role, capabilities, principal, boundAgent, Credential.UNLIMITED);
    }

    public Caller with(Credential other) {
        return new Caller(tenant, tenantName, user, userName, role, capabilities, principal, boundAgent, other);
    }

    /** Returns the same caller, who is a person. */
    public Caller asPerson() {
        return with(credential.ofPerson());
    }

    /** Returns the same caller, which is a program, whoever signed in for it. */
    public Caller asProgram() {
        return with(credential.ofProgram());
    }

    /** Returns the same user with the same permissions, authenticated by another credential. */
    public Caller as(String otherPrincipal) {
        return new Caller(
                tenant, tenantName, user, userName, role, capabilities, otherPrincipal, boundAgent, credential);
    }

    /** Returns the same credential for what its user says, if the client has asked them: no agent is bound to it. */
    public Caller forUser() {
        return new Caller(tenant, tenantName, user, userName, role, capabilities, principal, null, credential);
    }

    public boolean isAdmin() {
        return role.isAtLeast(Role.ADMIN);
    }

    /**
     * Returns whether the credential is a program's own key: bound to an agent, or another key's child. Such a caller
     * manages only that key and its descendants, and creates only children of it.
     */
    public boolean isConfined() {
        return boundAgent != null || credential.child();
    }

    /**
     * Returns whether the caller is a person: signed in at the page or at a provider. An API key is a program, whoever owns it,
     * and so is whatever a program makes of one.
     */
    public boolean isPerson() {
        return boundAgent == null && credential.person();
    }

    public boolean isNamed(String name) {
        return Name.key(UserHandle.unmarked(name).strip()).equals(Name.key(userName));
    }

    public boolean mayActForOthers() {
        return isAdmin() && !isConfined();
    }

    /** Returns why the caller may not act for others, and who could; empty if it may. */
    public Optional<String> obstacleToOthers() {
        if (!isAdmin()) {
            return Optional.of(
                    "target.user must be your own user name, '%s': only an admin acts for others, your role is '%s', and an admin can change that with US_Update"
                            .formatted(userName, role.word()));
        }
        return isConfined()
                ? Optional.of(
                        "target.user must be your own user name, '%s': your key is bound to an agent, or is another key's child, and acts for its own user only; an admin can act for others with a key that is neither"
                                .formatted(userName))
                : Optional.empty();
    }

    /** Returns whether the capabilities are scopes of an access token, so that the client can request more. */
    public boolean hasScopes() {
        return principal.startsWith(OAUTH);
    }

    /** Returns the scope that is the only thing missing for the access token to run a tool with these arguments. */
    public Optional<Capability> missingScope(Tool<?, ?> tool, ObjectNode arguments) {
        if (!hasScopes() || obstacle(tool, arguments).isEmpty()) {
            return Optional.empty();
        }
        var run = tool.runFor(arguments);
        return Optional.of(run.capability())
                .filter(_ -> run.foreign() == null)
                .filter(needed -> !needed.isIn(capabilities))
                .filter(_ -> credential.toolset().covers(tool) && role.isAtLeast(run.leastRole()));
    }

    /** Returns whether the credential allows any tool that reads things of a family. */
    public boolean mayRead(Family family) {
        return family.read().isIn(capabilities) && credential.toolset().covers(family);
    }

    /**
     * Returns why the caller may not read things of another family than the tool's own, as {@code what} does; empty if
     * it may.
     */
    public Optional<String> obstacleToRead(Family family, String what) {
        return obstacle(
                family, what, Role.VIEWER, family.read(), credential.toolset().covers(family));
    }

    /** Like {@link #obstacleToRead}, to change them. */
    public Optional<String> obstacleToChange(Family family, String what) {
        var toolset = credential.toolset();
        return obstacle(family, what, Role.MEMBER, family.write(), toolset.covers(family) && !toolset.readOnly());
    }

    private Optional<String> obstacle(Family family, String what, Role least, Capability needed, boolean covered) {
        var obstacles = obstacles(what, least, needed);
        if (!covered) {
            obstacles.add(
                    "your key is limited to the toolset %s, and %s also needs to %s '%s'; whoever manages your key can widen its toolset with AK_Update"
                            .formatted(
                                    credential.toolset(),
                                    what,
                                    needed.equals(family.read()) ? "read" : "change",
                                    family.word()));
        }
        return obstacles.stream().findFirst();
    }

    /** Returns whether both credential and role allow a tool, even if only to read. */
    public boolean may(Tool<?, ?> tool) {
        return obstacle(tool).isEmpty();
    }

    /** Returns whether the caller may run the tool to read with it, and not to change something. */
    public boolean mayOnlyRead(Tool<?, ?> tool) {
        return may(tool) && !lacking(tool).isEmpty();
    }

    /**
     * Returns why the caller may not run the tool at all, and who could change that; empty if it may, even if only to
     * read.
     */
    public Optional<String> obstacle(Tool<?, ?> tool) {
        return obstacles(tool).stream().findFirst();
    }

    /**
     * Returns why the caller may not run the tool with these arguments. This decides about a call. A caller that may
     * run the whole tool may also use it only to read.
     */
    public Optional<String> obstacle(Tool<?, ?> tool, ObjectNode arguments) {
        var lacking = lacking(tool);
        return (lacking.isEmpty() || !tool.readsWith(arguments) ? lacking : lackingToRead(tool))
                .stream().findFirst();
    }

    /** Returns what prevents an action that requires this role and this capability; the role first. */
    List<String> obstacles(String what, Role least, Capability needed) {
        return obstacles(what, least, needed.word());
    }

    private List<String> obstacles(String what, Role least, String needed) {
        var obstacles = new ArrayList<String>();
        if (!role.isAtLeast(least)) {
            obstacles.add("your role is '%s'; %s needs the role '%s', which an admin can give with US_Update"
                    .formatted(role.word(), what, least.word()));
        }
        if (!capabilities.contains(Capability.ALL) && !capabilities.contains(needed)) {
            obstacles.add(
                    hasScopes()
                            ? "your access token lacks the scope '%s', which %s needs; get one that has it"
                                    .formatted(needed, what)
                            : "your key lacks the capability '%s', which %s needs; an admin can give it with AK_Update"
                                    .formatted(needed, what));
        }
        return obstacles;
    }

    /**
     * Returns everything that prevents the caller from running the tool, even if only to read. The role is first:
     * without it no other credential would help.
     */
    List<String> obstacles(Tool<?, ?> tool) {
        var lacking = lacking(tool);
        if (tool.reading() == null || lacking.isEmpty()) {
            return lacking;
        }
        var toRead = lackingToRead(tool);
        return toRead.isEmpty()
                ? List.of()
                : Stream.concat(lacking.stream(), toRead.stream()).distinct().toList();
    }

    /** Returns everything that prevents the caller from using all of the tool, not only reading. */
    List<String> lacking(Tool<?, ?> tool) {
        return lacking(tool, tool.name(), tool.leastRole(), tool.capabilityWord());
    }

    private List<String> lackingToRead(Tool<?, ?> tool) {
        var what = "%s %s"
                .formatted(tool.name(), Objects.requireNonNull(tool.reading()).when(""));
        return lacking(tool, what, Role.VIEWER, tool.family().read().word());
    }

    private List<String> lacking(Tool<?, ?> tool, String what, Role least, String needed) {
        var obstacles = obstacles(what, least, needed);
        if (!credential.toolset().covers(tool)) {
            obstacles.add(
                    "your key is limited to the toolset %s, and %s %s; whoever manages your key can widen its toolset with AK_Update"
                            .formatted(
                                    credential.toolset(),
                                    tool.name(),
                                    credential.toolset().covers(tool.family())
                                            ? "changes something"
                                            : "belongs to '%s'"
                                                    .formatted(tool.family().word())));
        }
        return obstacles;
    }
}
