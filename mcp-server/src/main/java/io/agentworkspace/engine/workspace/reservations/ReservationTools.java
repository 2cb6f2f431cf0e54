package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.domains.ParticipationQueries;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tools for reservations of paths: TK_Reserve, TK_Release. */
final class ReservationTools {
    private static final long LEASE = 900;

    private final ReservationStore reservations;
    private final ParticipationQueries places;
    private final Contexts contexts;

    public ReservationTools(Db db, Contexts contexts, ParticipationQueries places) {
        this.reservations = new ReservationStore(db);
        this.contexts = contexts;
        this.places = places;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(reserve(), release());
    }

    record EnteredDomain(
            @Doc("Default: the entered one.") @Nullable Name domain,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record ReserveRequest(
            @Doc(
                    value =
                            "Relative to the repository. * matches in a folder, ** any folders, a slash at the end all below.",
                    max = 50,
                    eachMax = Glob.MAX_LENGTH)
            List<String> paths,

            @Doc(value = "Which repository, if the domain has several.", max = 200) @Nullable
            String repository,

            @Doc(
                    value =
                            "In which git worktree, if these are separate: the last name of git rev-parse --git-dir. Default: all.",
                    max = 300)
            @Nullable
            String worktree,

            @Doc(value = "Why; shown to others.", max = 500, mayBeBlank = true) @Nullable
            String reason,

            @Doc(value = "Default 900.", min = 60, max = 86_400, mayBeBlank = true) @Nullable
            Long leaseSeconds,

            @Doc("true: only check whether another agent has one.") @Nullable
            Boolean dryRun,

            @Doc("In which domain.") @Nullable EnteredDomain target) {}

    record ReserveResponse(
            @Doc("All that you hold in the domain now.") List<Reservation> reservations) {}

    private Tool<ReserveRequest, ReserveResponse> reserve() {
        return Tool.named("TK_Reserve")
                .title("Reserve paths")
                .description("""
                        Reserves files before you edit them, all or none, so that no other agent changes them meanwhile. A \
                        repeated call extends the time. TK_Release ends it.""")
                .details("""
                        If another agent holds a path that overlaps, nothing is reserved (3003, with holder, paths, reason \
                        and until). Sessions of one agent share its reservations. It is advisory: the hooks of coding \
                        agents refuse an edit of such a path. TK_List with paths shows all. The zone 'main' gets a line \
                        when paths are reserved, and when they are free again.""")
                .alsoCalled(
                        "lock a file",
                        "claim a file",
                        "who edits this",
                        "avoid merge conflicts",
                        "check out a folder",
                        "file reservation")
                .hints(Guide.Hint.WORK, Guide.Hint.ALWAYS_LOAD)
                .needs(Capability.TASK_WRITE)
                .on(Requirement.OfDomain.TAKE_PART)
                .effect(Effect.CHANGES)
                .heavy()
                .example("target.domain", "harbour")
                .example("paths", "boats/**")
                .example("reason", "painting")
                .alsoAt("POST", "/api/tasks/reservations")
                .handledBy(ReserveRequest.class, ReserveResponse.class, this::compared, this::reserve);
    }

    /** Compares the paths with those of others, before the transaction, which only compares what was reserved since. */
    private Set<String> compared(ReserveRequest in, Call call) {
        if (in.paths().isEmpty()) {
            throw Problem.missing("paths");
        }
        contexts.load(call);
        return reservations.requireFree(call, request(in, places.enter(call, domain(in.target()))));
    }

    private ReserveResponse reserve(ReserveRequest in, Set<String> free, Call call) {
        var place = places.enter(call, domain(in.target()));
        call.about(new Call.About(place.name(), null));
        if (Boolean.TRUE.equals(in.dryRun())) {
            call.dryRun();
            return new ReserveResponse(reservations.own(call, place.id()));
        }
        return new ReserveResponse(reservations.reserve(call, request(in, place), free));
    }

    private static ReservationStore.ReservationRequest request(ReserveRequest in, ParticipationQueries.Place place) {
        return new ReservationStore.ReservationRequest(
                place.id(),
                in.repository() == null ? "" : PathForm.composed(in.repository().strip()),
                in.worktree() == null ? "" : PathForm.worktree(in.worktree()),
                Glob.parse(in.paths()),
                in.reason(),
                in.leaseSeconds() == null ? LEASE : in.leaseSeconds());
    }

    private static @Nullable Name domain(@Nullable EnteredDomain target) {
        return target == null ? null : target.domain();
    }

    record ReleaseRequest(
            @Doc(value = "As they were reserved; default: all of yours.", max = 50) @Nullable
            List<String> paths,

            @Doc(value = "Only of this repository.", max = 200) @Nullable
            String repository,

            @Doc(value = "Only of this git worktree.", max = 300) @Nullable
            String worktree,

            @Doc("In which domain.") @Nullable EnteredDomain target) {}

    record ReleaseResponse(
            @Doc("The paths that are free again.") List<String> released,
            @Doc("Whether you held any of them.") boolean changed) {}

    private Tool<ReleaseRequest, ReleaseResponse> release() {
        return Tool.named("TK_Release")
                .title("Release paths")
                .description("Ends your reservations of these paths in a domain; of all of yours by default.")
                .alsoCalled("unlock a file", "free a file", "give up a reservation", "i am done with these files")
                .needs(Capability.TASK_WRITE)
                .on(Requirement.OfDomain.TAKE_PART)
                .effect(Effect.CHANGES)
                .idempotent()
                .example("target.domain", "harbour")
                .alsoAt("DELETE", "/api/tasks/reservations")
                .handledBy(ReleaseRequest.class, ReleaseResponse.class, (in, call) -> {
                    if (in.paths() != null && in.paths().isEmpty()) {
                        throw Problem.blank(List.of("paths"));
                    }
                    var place = places.enter(call, domain(in.target()));
                    var paths = in.paths() == null
                            ? null
                            : Glob.parse(in.paths()).stream().map(Glob::text).toList();
                    call.about(new Call.About(place.name(), null));
                    var released = reservations.release(
                            call,
                            place.id(),
                            in.repository() == null
                                    ? null
                                    : PathForm.composed(in.repository().strip()),
                            in.worktree() == null ? null : PathForm.worktree(in.worktree()),
                            paths);
                    return new ReleaseResponse(released, !released.isEmpty());
                });
    }
}
