package memoryd

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// waitEach is the time that one call waits for another holder; it is repeated until the caller's own wait is over.
const waitEach = 20 * time.Second

// reservation is the exclusive right to make the value of a key. Its methods acquire, renew, use and release it.
type reservation struct {
	place     *workingMemory
	key       string
	localOnly bool
	lease     time.Duration
	// wait is the time to wait for another holder, which ends at until; nil waits until the context ends.
	wait    *time.Duration
	until   time.Time
	content []EntryOption
}

func reservationOf(place *workingMemory, key string, options []GetOrSetOption) *reservation {
	asked := &reservation{place: place, key: key, lease: defaultLease}
	for _, option := range options {
		option.applyGetOrSet(asked)
	}
	if asked.wait != nil {
		asked.until = time.Now().Add(*asked.wait)
	}
	return asked
}

// reserve returns the existing entry, or the token of the reservation, or neither while another caller holds it.
func (r *reservation) reserve(ctx context.Context) (*memorydv1.Entry, string, error) {
	wait := waitEach
	if r.wait != nil {
		wait = max(0, min(wait, time.Until(r.until)))
	}
	ctx, cancel := withDefaultTimeout(ctx, r.place.client.caller.timeout+wait)
	defer cancel()
	answer, err := r.place.client.workingMemory.ReserveEntry(ctx, &memorydv1.ReserveEntryRequest{
		AgentId:       r.place.agentID,
		ScopeId:       r.place.scopeID,
		Key:           r.key,
		LocalOnly:     r.localOnly,
		LeaseDuration: durationpb.New(r.lease),
		WaitDuration:  durationpb.New(wait),
	})
	if err != nil {
		return nil, "", err
	}
	switch answer.GetOutcome() {
	case memorydv1.ReserveOutcome_RESERVE_OUTCOME_FOUND:
		return answer.GetEntry(), "", nil
	case memorydv1.ReserveOutcome_RESERVE_OUTCOME_RESERVED:
		return nil, answer.GetReservationToken(), nil
	default:
		return nil, "", nil
	}
}

// isOver reports whether the caller's wait is over.
func (r *reservation) isOver() bool {
	return r.wait != nil && !time.Now().Before(r.until)
}

// keep renews the reservation until the function that it returns is called.
func (r *reservation) keep(ctx context.Context, token string) (stop func()) {
	renew := func(ctx context.Context) error { return r.renew(ctx, token) }
	return keepRenewed(ctx, r.lease, renew, func(error) {})
}

func (r *reservation) renew(ctx context.Context, token string) error {
	_, err := r.place.client.workingMemory.RenewReservation(ctx, &memorydv1.RenewReservationRequest{
		AgentId:          r.place.agentID,
		ScopeId:          r.place.scopeID,
		Key:              r.key,
		ReservationToken: token,
		LeaseDuration:    durationpb.New(r.lease),
	})
	return err
}

func (r *reservation) store(ctx context.Context, token string, value any) error {
	request, err := r.place.setRequest(r.key, value, setOptions(r.content))
	if err != nil {
		return err
	}
	request.ReservationToken = token
	_, err = r.place.client.workingMemory.SetEntry(ctx, request)
	return err
}

// giveUp releases the reservation for the next caller, also if ctx has ended, which may be why the factory failed. Its
// own failure is ignored, because the lease expires anyway.
func (r *reservation) giveUp(ctx context.Context, token string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.place.client.caller.timeout)
	defer cancel()
	_, _ = r.place.client.workingMemory.ReleaseReservation(ctx, &memorydv1.ReleaseReservationRequest{
		AgentId:          r.place.agentID,
		ScopeId:          r.place.scopeID,
		Key:              r.key,
		ReservationToken: token,
	})
}
