import json,numpy as np,collections,sys
sys.path.insert(0,'/tmp/du')
from scipy.cluster.hierarchy import linkage,fcluster
from scipy.spatial.distance import squareform
N=sys.argv[1]; EV=json.load(open('/tmp/ft/eval.json')); z=np.load(f'/tmp/ft/{N}.npy'); cls=json.load(open(f'/tmp/ft/{N}.cls.json')); cnt=json.load(open(f'/tmp/ft/{N}.cnt.json'))
T='/work/main/assets/training/remarks/'
fr={'none':[308,14],'specific':[469,41]}
for l in open(T+'frequency.tsv'):
    if l[0]=='#': continue
    a,b,c=l.rstrip('\n').split('\t'); fr['specific' if a=='particular' else a]=[float(b),float(c)]
dem={l.split('\t')[0]:l.split('\t') for l in open(T+'demands.tsv') if l[0]!='#'}
def target(d):
    if d not in dem: return None
    n=dem[d][2]
    while n.startswith('@'): n=dem[n[1:]][2]
    return n
tp=np.array([cnt[c] for c in cls],float); tp/=tp.sum()
def prior(doc): 
    p=np.array([fr.get(c,[0,0])[doc]+(3 if c in fr else .5) for c in cls]); return p/p.sum()
PR=[prior(0),prior(1)]
def probs(S,a):
    idx=[i for i,e in enumerate(EV) if e['set']==S]; x=z[idx]; doc=1 if S=='documents' else 0
    if S=='hitl_stream_visible': l=x
    else: l=x+a*np.log(PR[doc]/tp)
    p=np.exp(l-l.max(1,keepdims=True)); return [EV[i] for i in idx],p/p.sum(1,keepdims=True)
dem_i=[i for i,c in enumerate(cls) if c not in('none','specific')]
from load import score
def groups(ev,p,cut,th):
    Q=np.where(p[:,dem_i]>=th,p[:,dem_i],0)**.5
    ok=[i for i in range(len(ev)) if Q[i].sum()>0 and ev[i]['dec']!='APPROVED']
    out=[]
    for ag in {ev[i]['agent'] for i in ok}:
        o=[i for i in ok if ev[i]['agent']==ag]
        if len(o)<3: continue
        s=np.minimum(Q[o]@Q[o].T,1); d=1-s; np.fill_diagonal(d,0)
        l=fcluster(linkage(squareform(d,checks=False),'average'),1-cut,'distance'); g=collections.defaultdict(list)
        for a,c in zip(o,l): g[c].append(a)
        out+=[v for v in g.values() if len(v)>=3 and len({ev[i]['who'] for i in v})>=2]
    return out
P=['alluxio-alluxio','apache-hbase','checkstyle-checkstyle','dhis2-dhis2-core','eclipse-hono','jenkinsci-jenkins']
for a in (.5,1):
    ok=[];top=[];mx=[]
    for S in P+['real_remarks_random']:
        ev,p=probs(S,a)
        for e,q in zip(ev,p):
            t=e['theme']; t=target(t) if t and not t.startswith('one-off') else None
            j=dem_i[int(q[dem_i].argmax())]; mx.append(q[j]); ok.append(cls[j]==t); top.append((t is not None, cls[int(q.argmax())]==t))
    mx=np.array(mx); ok=np.array(ok); kn=[b for a_,b in top if a_]
    print(N,'a',a,'right',round(np.mean(kn),3),'P@200',ok[np.argsort(-mx)[:200]].mean(),'P@400',ok[np.argsort(-mx)[:400]].mean(),[(f'{b:.1f}',int(((mx>=b)&(mx<b+.1)).sum()),round(float(ok[(mx>=b)&(mx<b+.1)].mean()),2)) for b in np.arange(.2,1,.1)])
    for lab,SS in (('proj',P),('read',['r-'+x for x in P]),('pool',['real_remarks_random']),('docs',['documents']),('vis',['hitl_stream_visible'])):
        for th in (.2,.25):
            best={}
            for cut in np.arange(.3,.95,.025):
                t=collections.Counter()
                for S in SS:
                    ev,p=probs(S,a); t+=score([dict(theme=e['theme'],who=e['who']) for e in ev],groups(ev,p,cut,th))
                pu=t['pure']/max(1,t['pats'])
                for need in (.6,.7,.75,.8,.85):
                    if t['pats']>=3 and pu>=need and t['false']<=.03*t['rest'] and (need not in best or t['found']>best[need][1]['found']): best[need]=(cut,t)
            print('  ',lab,th,' | '.join(f"{n}: {b[1]['pure']}/{b[1]['pats']} f{b[1]['found']}/{b[1]['rec']} F{b[1]['false']} @{b[0]:.2f}" for n,b in sorted(best.items())),flush=True)
