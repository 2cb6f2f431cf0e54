package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.identity.Grant;
import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Context.Ref;
import io.agentworkspace.engine.model.Permission;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Role;
import io.agentworkspace.engine.model.Via;
import io.agentworkspace.engine.store.AgentStore;
import io.agentworkspace.engine.store.BankStore;
import io.agentworkspace.engine.store.DomainStore;
import io.agentworkspace.engine.store.KeyLedger;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a caller lacks of what {@link Demands} says that its tool needs: the tool refuses by it, {@code /api/auth/why} tells it
 * beforehand.
 */
final class Lack {
    private Lack() {}

    static void refuse(Optional<Problem> lack) {
        lack.ifPresent(problem -> {
            throw problem;
        });
    }

    /** What the credential itself lacks, whatever the tool is run on. */
    static Optional<Problem> ofCredential(Call call) {
        var caller = call.caller();
        return switch (Demands.ofCredential(call.service())) {
            case UNBOUND -> refusedIf(caller.boundAgent() != null, Notes.BOUND_AND_USERS);
            case CURRENT -> refusedIf(caller.credential().outdated(), Notes.OUTDATED);
            case null, default -> Optional.empty();
        };
    }

    static Optional<Problem> ofAgent(Call call, AgentStore.Held held) {
        return ofAgent(call, held.ref(), held.owner(), held.ownerName());
    }

    static Optional<Problem> ofAgent(Call call, Ref agent, long ownerId, String owner) {
        var bound = call.caller().boundAgent();
        var elsewhere = bound != null && bound != agent.id();
        var own = ownerId == call.context().user().id();
        var admin = call.caller().isAdmin();
        var name = agent.name();
        return switch (Demands.of(call.service(), "agent")) {
            case OWN ->
                refusedIf(elsewhere, Notes.boundNotToChange(name))
                        .or(() -> refusedIf(!own && !admin, Notes.notYours("agent", name, owner)));
            case BE ->
                refusedIf(elsewhere, Notes.boundElsewhere(name))
                        .or(() -> refusedIf(!own, Notes.notYourself(name, owner)));
            case ACT ->
                refusedIf(elsewhere, Notes.boundElsewhere(name))
                        .or(() -> refusedIf(!own && !admin, Notes.notToActAs(name, owner)));
            case HOST -> refusedIf(!own && !admin, Notes.notToHost(name, owner));
            case BIND ->
                refusedIf(elsewhere, Notes.boundNotToBind(name, owner))
                        .or(() -> refusedIf(!own, Notes.notToBind(name, owner)));
            default -> Optional.empty();
        };
    }

    static Optional<Problem> ofDomain(Call call, DomainStore.Held held) {
        return switch (Demands.of(call.service(), "domain")) {
            case OWN -> refusedIf(!held.isOwnedBy(call), Notes.notYours("domain", held.name(), held.ownerName()));
            case RUN -> refusedIf(!held.isRunBy(call), Notes.notOfItsSide(held.name(), held.ownerName()));
            default -> Optional.empty();
        };
    }

    static Optional<Problem> ofBank(Call call, BankStore.Held held) {
        var permission = held.permission();
        return switch (Demands.of(call.service(), "bank")) {
            case READ, READ_OR_GRANT -> permission.lack(Permission.READ).map(Problem::notPermitted);
            case APPEND -> permission.lack(Permission.APPEND).map(Problem::notPermitted);
            case MANAGE -> permission.lack(Permission.MANAGE).map(Problem::notPermitted);
            case OWN ->
                refusedIf(!isOwn(call, held), Notes.notToDestroy(held.name(), permission.owner()))
                        .or(() -> Optional.of(permission)
                                .filter(found -> found.via() == Via.GRANT)
                                .flatMap(found -> found.lack(Permission.MANAGE))
                                .map(Problem::notPermitted));
            default -> Optional.empty();
        };
    }

    /** Whether the caller may end the bank: its owner and the admins. */
    static boolean isOwn(Call call, BankStore.Held bank) {
        return bank.owner() == call.context().user().id() || call.caller().isAdmin();
    }

    /** @param powers what the caller has to give, read where it counts */
    static Optional<Problem> ofKey(Call call, KeyLedger.Held held, Supplier<Grant> powers) {
        var role = ofRole(call, held.role());
        return switch (Demands.of(call.service(), "key")) {
            case END -> role;
            case CHANGE -> role.or(() -> ofRevoked(held));
            case HOLD ->
                ofRevoked(held)
                        .or(() -> held.grant().isOver(call.now())
                                ? Optional.of(Problem.conflict(Notes.KEY_ENDED))
                                : Optional.empty())
                        .or(() -> role)
                        .or(() -> ofPowers(held.grant(), powers.get()));
            default -> Optional.empty();
        };
    }

    private static Optional<Problem> ofRevoked(KeyLedger.Held held) {
        return held.revoked() || held.grant().revokedAt() != null
                ? Optional.of(Problem.conflict(Notes.KEY_REVOKED))
                : Optional.empty();
    }

    /** Nobody gets hold of a key of someone who may do more. */
    private static Optional<Problem> ofRole(Call call, Role role) {
        return refusedIf(!call.caller().role().isAtLeast(role), Notes.ofMoreThanYou(role));
    }

    /** What the caller's own key lacks of what another is to have. */
    static Optional<Problem> ofPowers(Grant wanted, Grant powers) {
        return wanted.excess(powers).map(Notes::notToGive).map(Problem::notPermitted);
    }

    /** @param user whom the call acts for, or is about, with its role */
    static Optional<Problem> ofUser(Call call, long user, Role role) {
        return switch (Demands.of(call.service(), "user")) {
            case KEY_OF -> ofRole(call, role);
            case GOVERN -> ofOwners(call, role);
            case REMOVE ->
                user == call.caller().user()
                        ? Optional.of(Problem.conflict(Notes.NOT_YOURSELF_OUT))
                        : ofOwners(call, role);
            default -> Optional.empty();
        };
    }

    /** What is lacking to decide about a user of that role, or to give it. */
    static Optional<Problem> ofOwners(Call call, Role role) {
        var own = call.caller().role();
        return refusedIf(role == Role.OWNER && own != Role.OWNER, Notes.forOwners(own));
    }

    private static Optional<Problem> refusedIf(boolean refused, String note) {
        return refused ? Optional.of(Problem.notPermitted(note)) : Optional.empty();
    }
}
