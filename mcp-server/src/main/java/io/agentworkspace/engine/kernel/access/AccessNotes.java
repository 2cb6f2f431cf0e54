package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.model.access.Role;

/**
 * The notes of refusals for access: who may do this, and who can change that. They are shown only to callers who may
 * see the thing.
 */
public final class AccessNotes {
    static final String BOUND_AND_USERS =
            "your key is bound to an agent, so it cannot manage users; an admin can, with a key that is not bound";
    static final String BOUND_AND_INBOX =
            "your key is bound to an agent, and the inbox is its owner's: AP_Wait and AP_Read return what waits for the agent";
    static final String OUTDATED =
            "your key has a newer secret. The one that you sent still works, but not to create, change or rotate keys: use the new secret";
    public static final String KEY_REVOKED = "the key is revoked, for good: make a new one with AK_Create";
    public static final String KEY_ENDED = "the key has ended: give it a later expires_at with AK_Update first";
    static final String NOT_YOURSELF_OUT = "you cannot remove yourself: another admin can, with US_Remove";

    private AccessNotes() {}

    public static String notYours(String kind, String name, String owner) {
        return "the %s '%s' belongs to '%s': only its owner and admins may do this; ask one of them"
                .formatted(kind, name, owner);
    }

    /** Returns who runs a domain. */
    public static String side(String owner) {
        return "the domain's owner '%s', an admin, or whoever is logged on as its host".formatted(owner);
    }

    public static String notOfItsSide(String domain, String owner) {
        return "this is for the domain's side: in '%s' only %s may do it; ask one of them"
                .formatted(domain, side(owner));
    }

    public static String banned(String agent, String domain, String owner) {
        return "the agent '%s' is banned from the domain '%s'; DM_Unban lifts that: ask %s"
                .formatted(agent, domain, side(owner));
    }

    public static String notToDestroy(String bank, String owner) {
        return "only the owner of the bank '%s', '%s', and admins may destroy it; anyone with 'manage' may put it into the trash with MB_Delete"
                .formatted(bank, owner);
    }

    public static String notYourself(String agent, String owner) {
        return "only the owner of the agent '%s', '%s', may log on as it; log on as one of your own, or let '%2$s' do it"
                .formatted(agent, owner);
    }

    public static String notToActAs(String agent, String owner) {
        return "only the owner of the agent '%s', '%s', and admins may act as it; name one of your own"
                .formatted(agent, owner);
    }

    public static String notToHost(String agent, String owner) {
        return "the host of a new domain must be your own agent, and the owner of '%s' is '%s'. Name one of yours (AP_List), or invite it later with DM_Invite"
                .formatted(agent, owner);
    }

    public static String notToBind(String agent, String owner) {
        return "a key can be bound to its own user's agents only; the owner of '%s', '%s', can make one"
                .formatted(agent, owner);
    }

    public static String boundNotToBind(String agent, String owner) {
        return "your key is bound to another agent than '%s', as are the keys that it makes; the agent's owner '%s' can make one with a key that is not bound"
                .formatted(agent, owner);
    }

    public static String boundNotToChange(String agent) {
        return "your key is bound to another agent than '%s', and changes only its own; the owner of '%1$s' and admins can do this with a key that is not bound"
                .formatted(agent);
    }

    public static String notToHaveSubAgents(String agent) {
        return "a sub-agent belongs to your own agent, and to the one that your key is bound to; '%s' is another"
                .formatted(agent);
    }

    static String ofMoreThanYou(Role role) {
        return "the key's user has the role '%1$s', which is more than yours; only an %1$s may do this"
                .formatted(role.word());
    }

    public static String notToGive(String excess) {
        return "a key can't be given more than yours has, and yours %s; ask an admin whose key has more"
                .formatted(excess);
    }

    static String forOwners(Role own) {
        return "only an owner of the tenant makes, renames, changes or removes owners; your role is '%s', and an owner can change that with US_Update"
                .formatted(own.word());
    }

    public static String boundElsewhere(String agent) {
        return "your key is bound to another agent than '%s'; use a key that is bound to it or to none, which its owner can make with AK_Create"
                .formatted(agent);
    }
}
