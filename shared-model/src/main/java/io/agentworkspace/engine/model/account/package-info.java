/** The record of a tenant's account. */
@NullMarked
package io.agentworkspace.engine.model.account;

import org.jspecify.annotations.NullMarked;
