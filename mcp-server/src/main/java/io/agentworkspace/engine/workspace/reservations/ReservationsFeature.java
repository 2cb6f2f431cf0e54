package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import io.agentworkspace.engine.workspace.domains.ParticipationQueries;
import java.time.Clock;
import java.time.Duration;

/** The feature of reservations. */
public final class ReservationsFeature {
    private ReservationsFeature() {}

    public static Feature of(Db db, Contexts contexts, Clock clock) {
        var places = new ParticipationQueries(db, new DomainStore(db));
        var reservations = new ReservationStore(db);
        return new Feature()
                .tools(new ReservationTools(db, contexts, places).tools())
                .background(work ->
                        work.whileOpen(Duration.ofSeconds(1), "ending reservations", () -> reservations.end(clock)));
    }
}
