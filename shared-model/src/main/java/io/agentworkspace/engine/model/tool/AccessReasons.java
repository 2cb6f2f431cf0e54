package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.access.Via;
import io.agentworkspace.engine.model.schema.Doc;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a caller may or may not run a tool: the result of each check, and what is missing. */
public record AccessReasons(
        @Doc("The tool.") String tool,

        @Doc("Whether you may run it, on the target where one is given.")
        boolean may,

        @Doc("What is missing, and who can give it; empty when nothing is.")
        List<String> missing,

        @Doc("If you may only read with it: without which field, and what sending that field requires.") @Nullable
        String only,

        @Doc("What your credential may do.") Part capability,
        @Doc("Which tools your credential is limited to.") Part toolset,
        @Doc("What you are in the tenant.") Part role,

        @Doc("The thing that you asked about.") @Nullable Standing target) {

    /** One check. */
    public record Part(
            @Doc("What the tool needs.") String needed,
            @Doc("What you have.") List<String> yours,
            @Doc("Whether that is enough.") boolean held) {}

    /** The caller's relation to a thing that it may see. */
    public record Standing(
            @Doc("What it is: agent, domain, zone, bank, document, key or user.")
            String kind,

            @Doc("Its name.") String name,

            @Doc("The user whom it belongs to; of a user the same name.")
            String owner,

            @Doc("Who may see it besides; keys and users have none.") @Nullable
            Access access,

            @Doc(
                    "What you are to it: owner, admin, host; roster or domain where they let you see an agent; member, invited, requested,"
                            + " banned through your agents; public.")
            List<String> relations,

            @Doc("Of a bank: what you hold on it.") @Nullable
            Permission permission,

            @Doc("Of a bank: where that comes from.") @Nullable
            Via via,

            @Doc("What the tool needs of it.") String needed,
            @Doc("Whether you have that.") boolean held,

            @Doc("What it is limited to all the same.") @Nullable
            String only) {}

    /** Returns the checks of caller and tool, and the caller's relation to the target. */
    public static AccessReasons of(Caller caller, Tool<?, ?> tool, @Nullable Standing target, List<String> lacking) {
        var missing = new ArrayList<>(caller.obstacles(tool));
        missing.addAll(lacking);
        var beyond = caller.may(tool) ? caller.lacking(tool) : List.<String>of();
        var reading = beyond.isEmpty() ? null : tool.reading();
        var capability = reading == null ? tool.capability() : tool.family().read();
        var role = reading == null ? tool.leastRole() : Role.VIEWER;
        return new AccessReasons(
                tool.name(),
                missing.isEmpty(),
                List.copyOf(missing),
                reading == null ? null : "reading, %s: %s".formatted(reading.when(""), String.join("; ", beyond)),
                new Part(capability.word(), List.copyOf(caller.capabilities()), capability.isIn(caller.capabilities())),
                new Part(
                        tool.family().word(),
                        caller.credential().toolset().words(),
                        caller.credential().toolset().covers(tool)),
                new Part(
                        role.word(),
                        List.of(caller.role().word()),
                        caller.role().isAtLeast(role)),
                target);
    }
}
