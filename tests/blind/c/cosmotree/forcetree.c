#include "allvars.h"
#include "proto.h"
/*! \file forcetree.c: Barnes-Hut oct-tree of the local particles */

static int new_node(const FLOAT *c, FLOAT len, int level)
{
  int n = MaxPart + Numnodestree++, j;
  if(Numnodestree >= MaxNodes) {
      printf("task %d: out of tree nodes\n", ThisTask);
      MPI_Abort(MPI_COMM_WORLD, 5);
    }
  for(j = 0; j < 8; j++)
    Nodes[n].suns[j] = -1;
  for(j = 0; j < 3; j++)
    Nodes[n].center[j] = c[j];
  Nodes[n].len = len;
  Nodes[n].level = level;
  Nodes[n].mass = 0;
  return n;
}

static int subnode(int n, const FLOAT *x)
{
  return (x[0] > Nodes[n].center[0]) + 2 * (x[1] > Nodes[n].center[1]) + 4 * (x[2] > Nodes[n].center[2]);
}

static int son(int n, int sub)
{
  FLOAT c[3], l = 0.25 * Nodes[n].len;
  c[0] = Nodes[n].center[0] + (sub & 1 ? l : -l);
  c[1] = Nodes[n].center[1] + (sub & 2 ? l : -l);
  c[2] = Nodes[n].center[2] + (sub & 4 ? l : -l);
  return new_node(c, 0.5 * Nodes[n].len, Nodes[n].level + 1);
}

static int last;

static void set_next(int no)
{
  if(last >= 0) {
      if(last >= MaxPart)
	Nodes[last].nextnode = no;
      else
	Nextnode[last] = no;
    }
  last = no;
}

/*! moments, and the thread through the tree */
static void update_node(int no, int sib)
{
  int j, k, p, nsib, jj;
  FLOAT m = 0, s[3] = { 0, 0, 0 }, hm = 0;
  set_next(no);
  if(no < MaxPart)
    return;
  for(j = 0; j < 8; j++) {
      if((p = Nodes[no].suns[j]) < 0)
	continue;
      for(jj = j + 1; jj < 8 && Nodes[no].suns[jj] < 0; jj++);
      nsib = jj < 8 ? Nodes[no].suns[jj] : sib;
      update_node(p, nsib);
      if(p < MaxPart) {
	  m += P[p].Mass;
	  hm = P[p].Hsml > hm ? P[p].Hsml : hm;
	  for(k = 0; k < 3; k++)
	    s[k] += P[p].Mass * P[p].Pos[k];
	}
      else
	{
	  m += Nodes[p].mass;
	  hm = Nodes[p].hmax > hm ? Nodes[p].hmax : hm;
	  for(k = 0; k < 3; k++)
	    s[k] += Nodes[p].mass * Nodes[p].s[k];
	}
    }
  Nodes[no].mass = m;
  Nodes[no].hmax = hm;
  for(k = 0; k < 3; k++)
    Nodes[no].s[k] = m > 0 ? s[k] / m : Nodes[no].center[k];
  Nodes[no].sibling = sib;
}

void force_treebuild(void)
{
  int i, k, th, sub, q;
  FLOAT c[3], len = 0;
  Numnodestree = 0;
  for(k = 0; k < 3; k++) {
      c[k] = 0.5 * (BoxMin[k] + BoxMax[k]);
      if(BoxMax[k] - BoxMin[k] > len)
	len = BoxMax[k] - BoxMin[k];
    }
  new_node(c, 1.01 * len, 0);
  for(i = 0; i < NumPart; i++) {
      th = MaxPart;
      while(1)
	{
	  sub = subnode(th, P[i].Pos);
	  q = Nodes[th].suns[sub];
	  if(q < 0) {
	      Nodes[th].suns[sub] = i;
	      break;
	    }
	  if(q >= MaxPart) {
	      th = q;
	      continue;
	    }
	  if(Nodes[th].level > 40)
	    break;
	  Nodes[th].suns[sub] = son(th, sub);
	  th = Nodes[th].suns[sub];
	  Nodes[th].suns[subnode(th, P[q].Pos)] = q;
	}
    }
  last = -1;
  update_node(MaxPart, -1);
  set_next(-1);
}

int force_treeevaluate(const FLOAT * pos, FLOAT oldacc, FLOAT * acc, FLOAT * pot)
{
  int no = MaxPart, nint = 0;
  FLOAT dx, dy, dz, r2, m, fac, h2 = All.Softening * All.Softening, th2 = All.ErrTol * All.ErrTol;
  while(no >= 0)
    {
      if(no < MaxPart) {
	  dx = P[no].Pos[0] - pos[0];
	  dy = P[no].Pos[1] - pos[1];
	  dz = P[no].Pos[2] - pos[2];
	  m = P[no].Mass;
	  r2 = dx * dx + dy * dy + dz * dz;
	  no = Nextnode[no];
	}
      else
	{
	  struct NODE *nop = &Nodes[no];
	  dx = nop->s[0] - pos[0];
	  dy = nop->s[1] - pos[1];
	  dz = nop->s[2] - pos[2];
	  m = nop->mass;
	  r2 = dx * dx + dy * dy + dz * dz;
	  if(nop->len * nop->len > th2 * r2) {
	      no = nop->nextnode;
	      continue;
	    }
	  no = nop->sibling;
	}
      r2 += h2;
      fac = m / (r2 * sqrt(r2));
      acc[0] += fac * dx;
      acc[1] += fac * dy;
      acc[2] += fac * dz;
      *pot -= fac * r2;
      nint++;
    }
  (void) oldacc;
  return nint;
}

int ngb_treefind(const FLOAT * pos, FLOAT h, int *list)
{
  int no = MaxPart, n = 0;
  while(no >= 0)
    {
      if(no < MaxPart) {
	  FLOAT dx = P[no].Pos[0] - pos[0], dy = P[no].Pos[1] - pos[1], dz = P[no].Pos[2] - pos[2];
	  if(dx * dx + dy * dy + dz * dz < h * h && n < MAX_NGB)
	    list[n++] = no;
	  no = Nextnode[no];
	}
      else
	{
	  struct NODE *nop = &Nodes[no];
	  FLOAT d = h + 0.5 * nop->len;
	  if(fabs(nop->center[0] - pos[0]) > d || fabs(nop->center[1] - pos[1]) > d || fabs(nop->center[2] - pos[2]) > d)
	    no = nop->sibling;
	  else
	    no = nop->nextnode;
	}
    }
  return n;
}
