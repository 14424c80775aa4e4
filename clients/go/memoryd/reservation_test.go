package memoryd

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

var granted = map[string]proto.Message{
	"ReserveEntry": &memorydv1.ReserveEntryResponse{
		Outcome:          memorydv1.ReserveOutcome_RESERVE_OUTCOME_RESERVED,
		ReservationToken: "token",
	},
}

func TestAReservationIsRequestedRenewedAndUsed(t *testing.T) {
	daemon := startRecordingDaemon(t, granted)
	scope := daemon.connect(t).Agent("a").Attach("s")
	const lease = 300 * time.Millisecond
	untilRenewed := func(ctx context.Context) (int, error) {
		for ctx.Err() == nil {
			if _, renewed := lastRequestOf[*memorydv1.RenewReservationRequest](daemon); renewed {
				return 7, nil
			}
			time.Sleep(time.Millisecond)
		}
		return 0, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	value, err := GetOrSet(ctx, scope, "k", untilRenewed, LocalOnly(), WithLease(lease), WithWait(0), WithUserID("ann"))
	if err != nil || value != 7 {
		t.Fatalf("it is %d, %v", value, err)
	}
	reserved := requestOf[*memorydv1.ReserveEntryRequest](t, daemon)
	if reserved.GetScopeId() != "s" || !reserved.GetLocalOnly() || reserved.GetLeaseDuration().AsDuration() != lease ||
		reserved.GetWaitDuration() == nil || reserved.GetWaitDuration().AsDuration() != 0 {
		t.Errorf("it is %v", reserved)
	}
	renewed := requestOf[*memorydv1.RenewReservationRequest](t, daemon)
	if renewed.GetAgentId() != "a" || renewed.GetScopeId() != "s" || renewed.GetKey() != "k" || renewed.GetRequestId() == "" ||
		renewed.GetReservationToken() != "token" || renewed.GetLeaseDuration().AsDuration() != lease {
		t.Errorf("it is renewed with %v", renewed)
	}
	stored := requestOf[*memorydv1.SetEntryRequest](t, daemon)
	if stored.GetReservationToken() != "token" || stored.GetUserId() != "ann" {
		t.Errorf("it is stored with %v", stored)
	}
	if released, found := lastRequestOf[*memorydv1.ReleaseReservationRequest](daemon); found {
		t.Errorf("it is released with %v", released)
	}
}

func TestAReservationWhoseFactoryFailsIsReleased(t *testing.T) {
	daemon := startRecordingDaemon(t, granted)
	why := errors.New("not today")
	_, err := GetOrSet(t.Context(), daemon.connect(t).Agent("a").Attach("s"), "k", func(context.Context) (int, error) {
		return 0, why
	})
	if !errors.Is(err, why) {
		t.Errorf("it is %v", err)
	}
	released := requestOf[*memorydv1.ReleaseReservationRequest](t, daemon)
	if released.GetAgentId() != "a" || released.GetScopeId() != "s" || released.GetKey() != "k" ||
		released.GetReservationToken() != "token" || released.GetRequestId() == "" {
		t.Errorf("it is released with %v", released)
	}
}
